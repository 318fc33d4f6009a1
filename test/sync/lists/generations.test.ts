import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import { ChangingSource } from '../../house/sync/changing-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let source: ChangingSource;
let copy: Copy;

const day = 86_400;
const at = /\bat="[^"]*"/;
const isPart = (path: string) => /\/rl-\d+\.xml$/.test(path);
const isWhole = () => expect(copy.contents()).toEqual(source.contents());

beforeEach(async () => {
  source = await ChangingSource.open();
  source.offers = ['resourcelist'];
  source.partSize = 2;
  copy = new Copy(source);
  for (const name of ['/a', '/b', '/c', '/d']) source.put(name, `this is ${name}`);
  source.list();
  await copy.sync();
  source.pass(5 * day);
});
afterEach(async () => {
  copy.end();
  await source.close();
});

/** Without the second half of what is there: it has moved to another part meanwhile. */
const cut = (text: string) => text.replace(/<url>(?:(?!<\/url>).)*\/d<.*?<\/url>\s*/s, '');

/** Documents as they are after a change. */
function write(change: (path: string, text: string) => string): void {
  source.list();
  source.rewrite = (path, text) => (path.startsWith('/rl') ? change(path, text) : text);
}

async function isInconclusive(reason: RegExp): Promise<void> {
  source.put('/e', 'new');
  const report = await copy.sync();
  expect(report.notes).toEqual([expect.stringMatching(reason)]);
  expect(report).toMatchObject({ isComplete: false, copied: { deleted: 0 } });
  expect(copy.contents()).toMatchObject({ d: 'this is /d' });
  source.rewrite = (_, text) => text;
  source.remove('/c');
  source.list();
  expect(await copy.sync()).toMatchObject({ isComplete: true, copied: { deleted: 1 } });
  isWhole();
}

describe('an index whose parts are of different moments', () => {
  test('a part of another time than its index says: what is new is taken, and nothing is deleted', async () => {
    source.put('/b', 'changed');
    write((path, text) =>
      isPart(path) && text.includes('/c<')
        ? cut(text).replace(at, `at="${addSeconds(source.now, -60)}"`)
        : text,
    );
    const report = await copy.sync();
    expect(report).toMatchObject({ copied: { updated: 1 } });
    await isInconclusive(
      /has parts of different moments: \S+\/rl-\d\.xml: its time is \S+, and its index says/,
    );
  });

  test('parts of which the index says nothing, days apart', async () => {
    write((path, text) => {
      if (!isPart(path)) return text.replace(/(<sitemap>.*?)<rs:md[^>]*\/>/gs, '$1');
      return text.includes('/c<') ? cut(text).replace(at, `at="${addSeconds(source.now, -day)}"`) : text;
    });
    await isInconclusive(/has parts of different moments: .* other parts are of another/);
  });

  test('a part of before, as the index says: what may have come since is not taken for gone', async () => {
    source.put('/d', 'since then');
    source.list();
    await copy.sync();
    source.pass(day);
    const old = addSeconds(source.now, -3 * day);
    write((path, text) => {
      if (isPart(path)) return text.includes('/c<') ? cut(text).replace(at, `at="${old}"`) : text;
      const [head, ...entries] = text.split('<sitemap>');
      return [head, ...entries.map((entry) => entry.replace(at, `at="${old}"`))].join('<sitemap>');
    });
    source.rewrite = ((given) => (path: string, text: string) => {
      const changed = given(path, text);
      return isPart(path) ? changed.replace(at, `at="${old}"`) : changed;
    })(source.rewrite);
    const report = await copy.sync();
    expect(report).toMatchObject({ isComplete: false, copied: { deleted: 0 } });
    expect(report.notes).toEqual([expect.stringContaining(`has a part as of ${old}`)]);
    expect(copy.contents()).toMatchObject({ d: 'since then' });
    // The index is the same, and is looked at again.
    expect(await copy.sync()).toMatchObject({ isComplete: false });
    source.rewrite = (_, text) => text;
    expect(await copy.sync()).toMatchObject({ isComplete: true });
  });
});

describe('parts that were written one after the other', () => {
  const laterParts = (path: string, text: string) =>
    isPart(path) && text.includes('/c<') ? text.replace(at, `at="${source.now}"`) : text;

  test('as their index says, are as good as one list', async () => {
    source.remove('/d');
    source.pass(600);
    source.list();
    const begun = source.now;
    source.pass(600);
    source.rewrite = (path, text) => {
      if (isPart(path)) return laterParts(path, text);
      return path === '/rl.xml'
        ? text.replace(/(<loc>\S*-)(\d)(\.xml<\/loc>\s*<rs:md )at="[^"]*"/g, (all, a, n, b) =>
            Number(n) % 2 === 1 ? `${a}${n}${b}at="${source.now}"` : all,
          )
        : text;
    };
    const report = await copy.sync();
    expect(report).toMatchObject({ isComplete: true, copied: { deleted: 1 }, cursor: begun });
    isWhole();
  });

  test('while the index was, likewise', async () => {
    source.remove('/d');
    source.list();
    source.pass(600);
    source.rewrite = (path, text) => {
      if (isPart(path)) return laterParts(path, text);
      return path === '/rl.xml'
        ? text
            .replace(/(<sitemap>.*?)<rs:md[^>]*\/>/gs, '$1')
            .replace(/(<rs:md [^>]*)(at="[^"]*")/, `$1$2 completed="${source.now}"`)
        : text;
    };
    expect(await copy.sync()).toMatchObject({ isComplete: true, copied: { deleted: 1 } });
    isWhole();
  });

  test('and say nothing of their time are of that of the index: no change since is overlooked', async () => {
    source.offers = ['resourcelist', 'changelist'];
    source.list();
    source.rewrite = (path, text) => (isPart(path) ? text.replace(at, '') : text);
    source.pass(600);
    source.put('/a', 'changed');
    source.pass(600);
    await copy.sync({ way: 'audit' });
    isWhole();
  });
});
