import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { capabilityList, resourceList, sha256, WrittenSource } from '../house/resourcesync/written-source.ts';
import { Copy } from '../house/sync/copy.ts';

let source: WrittenSource;
let copy: Copy;
let directory: string;

const entry = (name: string, text = name, origin = source.origin) =>
  `<url><loc>${origin}/${name}</loc><lastmod>2026-01-01T00:00:00Z</lastmod><rs:md hash="${sha256(text)}" length="${text.length}"/></url>`;
const list = (at: string, ...entries: string[]) =>
  source.put('/list.xml', resourceList(entries.join(''), at));

beforeEach(async () => {
  source = await WrittenSource.open();
  source.put('/.well-known/resourcesync', capabilityList(source.origin, { resourcelist: '/list.xml' }));
  for (const name of ['same', 'lost', 'edited', 'longer', 'gone', 'new']) source.put(`/${name}`, name);
  copy = new Copy({ origin: source.origin, now: '2026-11-02T00:00:00Z' });
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-combined-'));
});
afterEach(async () => {
  copy.end();
  rmSync(directory, { recursive: true, force: true });
  await source.close();
});

test('an audit tells of each resource, the files too, and mends what is not as it should be', async () => {
  list('2026-02-01T00:00:00Z', ...['same', 'lost', 'edited', 'longer', 'gone'].map((name) => entry(name)));
  await copy.sync();
  rmSync(copy.path('lost'));
  writeFileSync(copy.path('edited'), 'EDITED');
  source.put('/longer', 'much longer');
  list(
    '2026-02-02T00:00:00Z',
    ...['same', 'lost', 'edited', 'new'].map((name) => entry(name)),
    entry('longer', 'much longer'),
    entry('elsewhere', 'elsewhere', 'http://elsewhere.example'),
  );
  const before = copy.contents();
  const combined = join(directory, 'combined.txt');
  const told = () =>
    readFileSync(combined, 'utf8').replaceAll(`${source.origin}/`, '').trim().split('\n').sort();
  const found = [
    '! http://elsewhere.example/elsewhere',
    '* edited',
    '* longer',
    '+ lost',
    '+ new',
    '- gone',
    '= same',
  ];
  await copy.sync({ way: 'audit', combined, isDryRun: true });
  expect(told()).toEqual(found);
  expect(copy.contents()).toEqual(before);
  source.turnPage();
  await copy.sync({ way: 'audit', combined });
  expect(told()).toEqual(found);
  expect(copy.contents()).toEqual({
    ...{ same: 'same', lost: 'lost', edited: 'edited', longer: 'much longer', new: 'new' },
  });
  expect(source.asked.filter((path) => !path.endsWith('.xml') && !path.startsWith('/.')).sort()).toEqual([
    ...['/edited', '/longer', '/lost', '/new'],
  ]);
  await copy.sync({ way: 'audit', combined });
  expect(told().filter((line) => !line.startsWith('='))).toEqual([found[0]]);
});
