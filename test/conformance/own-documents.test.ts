import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { XmlBufferInputProvider, XmlDocument, XsdValidator, xmlRegisterInputProvider } from 'libxml2-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkSource } from '../../src/conformance/survey/source-check.ts';
import { resourceSets } from '../../src/core/resource-set.ts';
import { openPublication, type Publication } from '../../src/publish/published/publication.ts';
import { createPublisher } from '../../src/publish/publisher.ts';
import { type Database, openDatabase } from '../../src/store/engine/database.ts';
import { pathsOf, textOf } from '../house/publish/reading.ts';
import { baseUrl, endFirstPass, HandClock, seedChanges, seedSource, silent } from '../house/publish/seed.ts';
import { sharedSpec } from '../house/publish/shared-material.ts';
import { placeMigrated } from '../house/store/databases.ts';

const xsd = sharedSpec('xsd');
let directory: string;
let database: Database;
let publication: Publication;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rsbridge-own-'));
  database = openDatabase({ client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) });
  publication = openPublication(directory);
  const clock = new HandClock('2026-11-20T12:00:00Z');
  const limits = { entries: 4, bytes: 1_000_000 };
  const publisher = createPublisher({ database, directory, baseUrl, clock, log: silent, limits });
  for (const source of ['kyushu', 'nara']) {
    await seedSource(database, source);
    const links = [
      { rel: 'describes', href: `${source}/items/x/files/1-é.pdf` },
      { rel: 'profile', href: 'http://www.openarchives.org/OAI/2.0/oai_dc/' },
      { rel: 'via', href: 'https://up.example.org/oai?verb=GetRecord&identifier=oai:x' },
    ];
    const seed = Array.from({ length: 10 }, (_, index) => ({
      name: `n${index}`,
      at: `2026-11-20T10:00:${10 + index}Z`,
      kind: index % 3 === 0 ? ('file' as const) : ('metadata' as const),
      links,
    }));
    await seedChanges(database, source, seed);
    await endFirstPass(database, source);
    for (const set of resourceSets(source)) await publisher.publish(set, { resourceList: 'always' });
    await seedChanges(database, source, [
      { name: 'n1', at: '2026-11-21T10:00:00Z', change: 'updated' },
      { name: 'n2', at: '2026-11-21T11:00:00Z', change: 'deleted' },
    ]);
    clock.set('2026-11-21T12:00:00Z');
    for (const set of resourceSets(source)) await publisher.publish(set, { resourceList: 'always' });
  }
  await publisher.publishSite([...resourceSets('kyushu'), ...resourceSets('nara')]);
});

afterAll(async () => {
  await database.close();
  await rm(directory, { recursive: true, force: true });
});

const fetch = async (uri: string) => {
  const document = await publication.find(uri.slice(baseUrl.length + 1));
  return document?.plain.open(0, document.plain.length);
};

async function everyPath(): Promise<readonly string[]> {
  const sets = await publication.sets();
  const lists = await Promise.all(sets.map(({ path }) => pathsOf(directory, path)));
  return ['.well-known/resourcesync', ...lists.flat()];
}

it('a walk from the Source Description meets every kind of list and finds nothing to complain about', async () => {
  const checked = await checkSource(`${baseUrl}/.well-known/resourcesync`, fetch);
  const kinds = new Set(checked.map(({ document }) => document?.kind));
  expect(kinds).toEqual(new Set(['SD', 'CAP', 'RL', 'RLI', 'CL', 'CLI']));
  expect(checked.flatMap(({ uri, findings }) => findings.map((finding) => ({ uri, ...finding })))).toEqual(
    [],
  );
});

it('so does a walk from any other document', async () => {
  for (const path of await everyPath()) {
    const checked = await checkSource(`${baseUrl}/${path}`, fetch);
    expect(checked[0]?.document?.kind, path).toBeDefined();
    expect(
      checked.flatMap(({ findings }) => findings),
      path,
    ).toEqual([]);
  }
});

describe.skipIf(xsd === undefined)('RS-GEN-23: our documents are valid against the official schemas', () => {
  it('every document', async () => {
    const folder = xsd ?? '';
    const names = ['resourcesync.xsd', 'sitemap.xsd', 'siteindex.xsd'];
    const buffers: Record<string, Uint8Array> = {};
    for (const name of names) buffers[`file:///xsd/${name}`] = await readFile(join(folder, name));
    xmlRegisterInputProvider(new XmlBufferInputProvider(buffers));
    const driver = await readFile(join(folder, 'rs-driver.xsd'));
    using schema = XmlDocument.fromBuffer(driver, { url: 'file:///xsd/rs-driver.xsd' });
    using validator = XsdValidator.fromDoc(schema);
    const paths = await everyPath();
    expect(paths.length).toBeGreaterThan(30);
    for (const path of paths) {
      using document = XmlDocument.fromString(await textOf(publication, path));
      expect(() => validator.validate(document), path).not.toThrow();
    }
  });
});
