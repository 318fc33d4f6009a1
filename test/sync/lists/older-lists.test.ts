import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  capabilityList,
  namespaces,
  resourceList,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let source: WrittenSource;
let copy: Copy;

const [early, late, later] = ['2026-11-19T22:00:00Z', '2026-11-19T23:00:00Z', '2026-11-19T23:30:00Z'];

beforeEach(async () => {
  source = await WrittenSource.open();
  source.put('/cap.xml', capabilityList(source.origin, { resourcelist: '/rl.xml' }));
  copy = new Copy({ origin: source.origin, now: '2026-11-20T00:00:00Z' });
  list(late, { a: 'A', b: 'new', v: 'V' });
  await sync();
});
afterEach(async () => {
  copy.end();
  await source.close();
});

function list(at: string, contents: Readonly<Record<string, string>>): void {
  const entries = Object.entries(contents).map(([name, text]) => {
    source.put(`/${name}`, text, { type: 'text/plain' });
    const lastmod = text === 'new' ? late : early;
    return `<url><loc>${source.origin}/${name}</loc><lastmod>${lastmod}</lastmod><rs:md length="${text.length}"/></url>`;
  });
  source.put('/rl.xml', resourceList(entries.join(''), at));
}

const sync = (options = {}) => copy.sync({ address: new URL(`${source.origin}/cap.xml`), ...options });
const restore = () => list(early, { a: 'A', b: 'the former one', w: 'W' });

describe('a list that is older than the one before', () => {
  test('takes nothing back, and is told each time, until it is newer', async () => {
    restore();
    for (const way of ['audit', undefined, undefined] as const) {
      const report = await sync({ way });
      expect(report).toMatchObject({
        held: 4,
        copied: { created: way === 'audit' ? 1 : 0 },
        isComplete: false,
      });
      expect(report.notes).toEqual([
        `${source.origin}/rl.xml is as of ${early}, and was as of ${late} when it was read before: 2 resources are otherwise in the copy, or missing on one side, and stay so until it is newer; --baseline takes it as it is`,
      ]);
    }
    expect(copy.contents()).toEqual({ a: 'A', b: 'new', v: 'V', w: 'W' });
    list(later, { a: 'A', b: 'the former one', w: 'W' });
    expect(await sync()).toMatchObject({ notes: [], isComplete: true });
    expect(copy.contents()).toEqual({ a: 'A', b: 'the former one', w: 'W' });
  });

  test('tells what differs, resource by resource', async () => {
    list(later, { a: 'A', b: 'new' });
    await sync();
    list(early, { a: 'A', b: 'the former one', v: 'V' });
    const combined = join(copy.directory, 'combined.txt');
    await sync({ way: 'audit', combined });
    const lines = (text: string) => text.replaceAll(source.origin, '').trim().split('\n').sort();
    expect(lines(readFileSync(combined, 'utf8'))).toEqual(['* /b', '+ /v', '= /a']);
    list(early, { a: 'A' });
    await sync({ way: 'audit', combined });
    expect(lines(readFileSync(combined, 'utf8'))).toEqual(['- /b', '= /a']);
  });

  test('is nothing to tell where the copy is as it says', async () => {
    list(early, { a: 'A', b: 'new', v: 'V' });
    for (const way of ['audit', undefined] as const)
      expect(await sync({ way })).toMatchObject({ notes: [], isComplete: true });
  });

  test('is taken as it is where somebody asks for a baseline, and is the one that counts from then on', async () => {
    restore();
    await sync();
    expect(await sync({ way: 'baseline' })).toMatchObject({ notes: [], isComplete: true });
    expect(copy.contents()).toEqual({ a: 'A', b: 'the former one', w: 'W' });
    expect(await sync({ way: 'audit' })).toMatchObject({ notes: [], isComplete: true });
  });

  test('does not undo what changes tell, whatever is asked for', async () => {
    source.put('/cap.xml', capabilityList(source.origin, { resourcelist: '/rl.xml', changelist: '/cl.xml' }));
    source.put('/cl.xml', `<urlset ${namespaces}><rs:md capability="changelist" from="${early}"/></urlset>`);
    list(early, { a: 'A', b: 'new' });
    for (const way of ['audit', 'baseline'] as const) {
      const report = await sync({ way });
      expect(report.notes).toEqual([expect.stringMatching(/1 resource is .* stays so until it is newer$/)]);
    }
    expect(copy.contents()).toEqual({ a: 'A', b: 'new', v: 'V' });
  });
});
