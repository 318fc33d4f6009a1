import { afterEach, beforeEach, expect, test } from 'vitest';
import { runFileJob } from '../../../src/harvest/files/file-job.ts';
import { countMirroredBytes } from '../../../src/store/files/file-counts.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import { Level } from '../../house/chain/level.ts';
import {
  capabilityList,
  resourceList,
  sha256,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';

const never = new AbortController().signal;
const names = ['a', 'b', 'c', 'd'];
const content = (name: string) => name.repeat(10);

let source: WrittenSource;
let level: Level;

beforeEach(async () => {
  source = await WrittenSource.open();
  source.put('/cap.xml', capabilityList(source.origin, { resourcelist: '/list.xml' }));
  const md = '<dc/>';
  source.put('/items/1.xml', md);
  const files = names.map((name) => {
    const path = `/files/${name}.pdf`;
    source.put(path, content(name), { type: 'application/pdf' });
    return `<url><loc>${source.origin}${path}</loc><rs:md hash="${sha256(content(name))}" length="10" type="application/pdf"/><rs:ln rel="describedby" href="${source.origin}/items/1.xml"/></url>`;
  });
  const links = names.map((name) => `<rs:ln rel="describes" href="${source.origin}/files/${name}.pdf"/>`);
  const item = `<url><loc>${source.origin}/items/1.xml</loc><lastmod>2026-01-01T00:00:00Z</lastmod><rs:md hash="${sha256(md)}" length="${md.length}" type="application/xml"/>${links.join('')}</url>`;
  source.put('/list.xml', resourceList(item + files.join('')));
  level = await Level.open('far', {
    ...{ adapter: 'resourcesync', url: `${source.origin}/cap.xml` },
    files: { mode: 'mirror', quotaBytes: 25 },
  });
});
afterEach(async () => {
  await level.close();
  await source.close();
});

test('files of a Source come as far as the quota has room, and no octet more', async () => {
  await level.turn('full');
  const { name, bridge } = level;
  const { reader } = bridge.database;
  const stored = await findSource(reader, name);
  // Of four, two.
  expect(await countMirroredBytes(reader, stored?.id ?? 0)).toBe(20);
  const again = await runFileJob(bridge.fileWork(name), bridge.source(name), { stop: never, signal: never });
  expect(again).toMatchObject({ downloaded: 0 });
  expect(await countMirroredBytes(reader, stored?.id ?? 0)).toBe(20);
});
