import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { patchRelation } from '../../../src/core/resource.ts';
import { diffXml } from '../../../src/core/xml/xml-patch.ts';
import { ChangingSource, type Interference } from '../../house/sync/changing-source.ts';
import { Copy } from '../../house/sync/copy.ts';

const filler = '<p>This is long enough for a patch to be shorter.</p>'.repeat(40);
const first = `<a><title>First</title>${filler}</a>`;
const second = `<a><title>Second</title>${filler}</a>`;

let source: ChangingSource;
let copy: Copy;

beforeEach(async () => {
  source = await ChangingSource.open();
  copy = new Copy(source);
});
afterEach(async () => {
  copy.end();
  await source.close();
});

const answering =
  (text: string | Uint8Array, headers: Record<string, string> = {}): Interference =>
  (response) => {
    response.writeHead(200, headers).end(text);
    return true;
  };
const link = (relation: string, path: string, more = '') =>
  `<rs:ln rel="${relation}" href="${source.origin}${path}" ${more}/>`;
const text = () => readFileSync(copy.path('a.xml'), 'utf8');

describe('a patch', () => {
  const patchFrom = (before: string) => diffXml(Buffer.from(before), Buffer.from(second)) ?? Buffer.alloc(0);

  beforeEach(async () => {
    source.put('/a.xml', first);
    source.list();
    await copy.sync();
    source.takeAsked();
    const more = link(patchRelation, '/a.patch', 'type="application/xml-patch+xml"');
    source.put('/a.xml', second, { more });
  });

  it('is applied to what is held, and nothing else is fetched', async () => {
    source.interferences.set('/a.patch', answering(patchFrom(first)));
    expect(await copy.sync()).toMatchObject({ copied: { updated: 1, patched: 1 }, isComplete: true });
    expect(text()).toBe(second);
    expect(source.asked.filter((path) => path.startsWith('/a'))).toEqual(['/a.patch']);
    // The next list says the same, and nobody asks again.
    expect(await copy.sync()).toMatchObject({ copied: { requests: 0 }, isComplete: true });
  });

  it('that begins elsewhere does not count: the whole is fetched', async () => {
    // It fits somehow, and what comes out is something else.
    source.interferences.set(
      '/a.patch',
      answering('<p:patch xmlns:p="urn:ietf:rfc:7351"><p:remove sel="a/title"/></p:patch>'),
    );
    expect(await copy.sync()).toMatchObject({ copied: { updated: 1, patched: 0 }, isComplete: true });
    expect(text()).toBe(second);
  });

  it.each([
    ['that is none', () => answering('this is no patch')],
    ['that is not there', (): Interference => () => false],
  ])('%s is no trouble', async (_, interference) => {
    source.interferences.set('/a.patch', interference());
    expect(await copy.sync()).toMatchObject({ copied: { updated: 1, patched: 0 }, isComplete: true });
    expect(text()).toBe(second);
  });

  it('is not asked for where somebody changed our file', async () => {
    writeFileSync(copy.path('a.xml'), 'edited by hand');
    await copy.sync();
    expect(source.asked).not.toContain('/a.patch');
    expect(text()).toBe(second);
  });
});

describe('mirrors', () => {
  const mirrored = () =>
    source.put('/a.xml', first, {
      more:
        link('duplicate', '/unranked/a.xml') +
        link('duplicate', '/second/a.xml', 'pri="2"') +
        link('duplicate', '/first/a.xml', 'pri="1"'),
    });
  const xml = () => source.asked.filter((path) => path.endsWith('/a.xml'));

  it('that the Source ranks are asked in their order, its own address after them, the others last', async () => {
    mirrored();
    source.list();
    source.interferences.set('/a.xml', (response) => {
      response.writeHead(503).end();
      return true;
    });
    source.interferences.set('/unranked/a.xml', answering(first));
    expect(await copy.sync()).toMatchObject({ copied: { created: 1, mirrored: 1 }, isComplete: true });
    expect([...new Set(xml())]).toEqual(['/first/a.xml', '/second/a.xml', '/a.xml', '/unranked/a.xml']);
    expect(text()).toBe(first);
  });

  it('are believed for exactly what is stated', async () => {
    mirrored();
    source.list();
    source.interferences.set(
      '/first/a.xml',
      answering('something else', { 'last-modified': 'Fri, 01 Jan 2027 00:00:00 GMT' }),
    );
    source.interferences.set('/second/a.xml', answering(first));
    expect(await copy.sync()).toMatchObject({
      copied: { created: 1, mirrored: 1, newer: 0 },
      isComplete: true,
    });
    expect(text()).toBe(first);
    expect(xml()).toEqual(['/first/a.xml', '/second/a.xml']);
  });

  it('are not asked where no hash is stated, nor at hosts that are not allowed', async () => {
    source.facts = ['length', 'lastmod'];
    mirrored();
    source.put('/b.xml', 'B', {
      more: '<rs:ln rel="duplicate" href="http://mirror.invalid/b.xml" pri="1"/>',
    });
    source.list();
    expect(await copy.sync()).toMatchObject({ copied: { created: 2, mirrored: 0 }, isComplete: true });
    expect(xml()).toEqual(['/a.xml']);
  });
});

describe('content that is not what was stated', () => {
  const other = (lastModified: string) => answering('of another time', { 'last-modified': lastModified });

  it('comes from the memento of what was stated, where the resource has gone on', async () => {
    source.put('/a.xml', first, { more: link('memento', '/m/a.xml') });
    source.list();
    source.interferences.set('/a.xml', other('Fri, 01 Jan 2027 00:00:00 GMT'));
    source.interferences.set(
      '/m/a.xml',
      answering(first, { 'memento-datetime': 'Sun, 01 Nov 2026 00:00:01 GMT' }),
    );
    expect(await copy.sync()).toMatchObject({ copied: { mementos: 1, newer: 0 }, isComplete: true });
    expect(text()).toBe(first);
  });

  it('is taken as newer where the server says so, and there is no memento', async () => {
    source.put('/a.xml', first, { more: link('memento', '/m/a.xml') });
    source.list();
    source.interferences.set('/a.xml', other('Fri, 01 Jan 2027 00:00:00 GMT'));
    expect(await copy.sync()).toMatchObject({ copied: { mementos: 0, newer: 1 }, isComplete: true });
    expect(text()).toBe('of another time');
  });

  it('fails where the server says that it is as old as stated', async () => {
    source.put('/a.xml', first);
    source.list();
    source.interferences.set('/a.xml', other('Sun, 01 Nov 2026 00:00:01 GMT'));
    const { failures, copied } = await copy.sync();
    expect(copied).toMatchObject({ created: 0, newer: 0, failed: 1 });
    expect(failures).toMatchObject([{ reason: expect.stringContaining('does not have the hash') }]);
  });
});
