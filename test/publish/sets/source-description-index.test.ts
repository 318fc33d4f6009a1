import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import { type ResourceSet, resourceSets } from '../../../src/core/resource-set.ts';
import { formatVersion, readPointer, writePointer } from '../../../src/publish/disk/pointer.ts';
import { writeDocument } from '../../../src/publish/disk/stored-document.ts';
import { setPaths } from '../../../src/publish/documents/document-paths.ts';
import { openPublication, publicationRoot } from '../../../src/publish/published/publication.ts';
import { publishSite } from '../../../src/publish/sets/site-publication.ts';
import { textOf } from '../../house/publish/reading.ts';
import { baseUrl, HandClock } from '../../house/publish/seed.ts';
import { openHouse, publishedSet, sourceOverview } from '../../house/server/fixture.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rsbridge-site-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const clock = new HandClock('2026-11-21T12:00:00Z');
const locsOf = (text: string) => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => loc);

/** Sets of which nothing is published but what leads to them. */
async function publishHeads(count: number, ofEach = 2): Promise<readonly ResourceSet[]> {
  const names = Array.from({ length: count }, (_, number) => `s${String(number).padStart(4, '0')}`);
  const sets = [
    ...jointSets({ all: {} }, Object.fromEntries(names.map((name) => [name, {}]))),
    ...names.flatMap((name) => resourceSets(name).slice(0, ofEach)),
  ];
  for (const set of sets) {
    const place = join(publicationRoot(directory), ...set.path.split('/'));
    await mkdir(place, { recursive: true });
    const facts = {
      capability: 'capabilitylist',
      entries: 0,
      lastModified: '2026-11-21T12:00:00Z',
      immutable: false,
    };
    const list = await writeDocument(place, 'capabilitylist', facts, '<urlset/>');
    const documents = { [setPaths(set).capabilityList]: list };
    await writePointer(place, {
      version: formatVersion,
      baseUrl,
      documents,
      catalogs: [],
      snapshots: [],
      retired: {},
    });
  }
  return sets;
}

test('with more sets than one may name, the Source Description is an index (RS-SD-08, RS-SD-03, RS-SD-09)', async () => {
  const sets = await publishHeads(4);
  const root = publicationRoot(directory);
  const limits = { sets: 8, sources: 500, setsInPart: 4 };
  await publishSite(root, { baseUrl, clock, limits }, sets);
  const publication = openPublication(directory);
  const index = await textOf(publication, '.well-known/resourcesync');
  expect(index).toContain('<sitemapindex');
  expect(index).toContain('<rs:md capability="description"/>');
  const parts = locsOf(index);
  expect(parts).toEqual([1, 2, 3].map((part) => `${baseUrl}/.well-known/resourcesync-000${part}.xml`));
  const texts = await Promise.all(
    parts.map((uri = '') => textOf(publication, uri.slice(baseUrl.length + 1))),
  );
  for (const text of texts) expect(text).toContain('<urlset');
  expect(texts.flatMap(locsOf)).toEqual(sets.map(({ path }) => `${baseUrl}/${path}/capabilitylist.xml`));

  // With fewer again it is one list, and the parts are gone.
  await publishSite(root, { baseUrl, clock, limits }, sets.slice(0, 8));
  expect(await textOf(publication, '.well-known/resourcesync')).toContain('<urlset');
  expect(await publication.find('.well-known/resourcesync-0001.xml')).toBeUndefined();
});

test('so it is with 501 sources, and what did not change is not written again', async () => {
  const sets = await publishHeads(501, 1);
  const root = publicationRoot(directory);
  await publishSite(root, { baseUrl, clock }, sets.slice(0, 501));
  const publication = openPublication(directory);
  expect(await textOf(publication, '.well-known/resourcesync')).toContain('<urlset');
  await publishSite(root, { baseUrl, clock }, sets);
  expect(locsOf(await textOf(publication, '.well-known/resourcesync'))).toHaveLength(1);
  const before = await readPointer(root);
  await publishSite(root, { baseUrl, clock }, sets);
  expect((await readPointer(root))?.documents).toEqual(before?.documents);
}, 60_000);

test('robots.txt and the home page stay small at 800 sources', async () => {
  const names = Array.from({ length: 800 }, (_, number) => `s${number}`);
  const sets = jointSets({ all: {} }, Object.fromEntries(names.map((name) => [name, {}])));
  const house = await openHouse({ jointSets: () => sets });
  try {
    for (const name of names) {
      house.sources.push(sourceOverview({ name, title: name }));
      house.publication.published.push(publishedSet(name));
    }
    house.publication.published.push(publishedSet('all'));
    const robots = (await house.app.inject('/robots.txt')).body;
    expect(robots.split('\n').filter((line) => line.startsWith('Sitemap:'))).toEqual([
      'Sitemap: https://bridge.example.org/rs/all/resourcelist.xml',
    ]);
    const home = await house.app.inject({ url: '/', headers: { accept: 'text/html' } });
    expect(home.body.length).toBeLessThan(100_000);
    expect(home.body).toContain('https://bridge.example.org/rs/all/resourcelist.xml');
  } finally {
    await house.close();
  }
});

test('what is private is served and not described, and where there is nothing else there is no description', async () => {
  const sets = await publishHeads(2);
  const root = publicationRoot(directory);
  const name = 's0000';
  const some = sets.map((set) => (set.source === name ? { ...set, isPrivate: true as const } : set));
  const publication = openPublication(directory);
  await publishSite(root, { baseUrl, clock }, sets);
  expect(await textOf(publication, '.well-known/resourcesync')).toContain(`/${name}/`);
  await publishSite(root, { baseUrl, clock }, some);
  const open = sets.filter(({ source }) => source !== name);
  expect(locsOf(await textOf(publication, '.well-known/resourcesync'))).toEqual(
    open.map(({ path }) => `${baseUrl}/${path}/capabilitylist.xml`),
  );
  expect((await readPointer(root))?.sets).toEqual(sets.map(({ path }) => path));
  await publishSite(
    root,
    { baseUrl, clock },
    some.filter(({ source }) => source === name),
  );
  expect(await publication.find('.well-known/resourcesync')).toBeUndefined();
});
