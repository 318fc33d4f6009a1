import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { isKept } from '../../../src/store/payloads/blobs.ts';
import { findWithMetadata } from '../../../src/store/reading/resources.ts';
import { findCollection, listCollectionResources } from '../../../src/store/sources/collections.ts';
import { seedResource } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('what the server looks up', (open) => {
  let database: Database;
  const item = 'kyushu/items/oai:repo.example.org:1';
  const record = `${item}/oai_dc.xml`;
  const file = `${item}/files/1-a.pdf`;

  beforeAll(async () => {
    database = open().database;
    const links = ['oai_dc', 'mods', 'gone', 'never'].map((format) => ({
      rel: 'describedby',
      href: `${item}/${format}.xml`,
    }));
    await seedResource(database, { collections: ['theses'], landingPage: 'https://repo.example.org/1' });
    await seedResource(database, { format: 'mods' });
    await seedResource(database, { format: 'marcxml' });
    await seedResource(database, { format: 'gone', deletedAt: '2026-11-21T10:00:00Z' });
    await seedResource(database, {
      kind: 'file',
      links,
      mediaType: 'application/pdf',
      upstreamUrl: 'https://h/a',
    });
    await seedResource(database, { kind: 'file', name: '2-b.pdf', mediaType: null, length: null });
  });

  it('is a file with the living formats that describe it, and no other file', async () => {
    const found = await findWithMetadata(database.reader, file);
    expect(found?.resource).toMatchObject({ path: file, kind: 'file', upstreamUrl: 'https://h/a' });
    expect(found?.metadata.map(({ format }) => format)).toEqual(['mods', 'oai_dc']);
    expect(await findWithMetadata(database.reader, `${item}/files/3-c.pdf`)).toBeUndefined();
  });

  it('is a record with the other living formats of its item', async () => {
    const found = await findWithMetadata(database.reader, record);
    expect(found?.resource.landingPage).toBe('https://repo.example.org/1');
    expect(found?.metadata.map(({ format }) => format)).toEqual(['marcxml', 'mods', 'oai_dc']);
    expect(found?.metadata[0]?.landingPage).toBeUndefined();
  });

  it('is a record that was deleted, with the formats that live on', async () => {
    const found = await findWithMetadata(database.reader, `${item}/gone.xml`);
    expect(found?.resource).toMatchObject({ format: 'gone', deletedAt: '2026-11-21T10:00:00Z' });
    expect(found?.metadata.map(({ format }) => format)).toEqual(['marcxml', 'mods', 'oai_dc']);
    expect(await findWithMetadata(database.reader, `${item}/never.xml`)).toBeUndefined();
    expect(await findWithMetadata(database.reader, 'kyushu/items/nothing/oai_dc.xml')).toBeUndefined();
  });

  it('is a collection with its files counted and described', async () => {
    expect(await findCollection(database.reader, 'kyushu', 'theses')).toMatchObject({
      resourceCount: 5,
      fileCount: 2,
    });
    const { members } = await listCollectionResources(database.reader, 'kyushu', 'theses', '', 10);
    expect(members).toHaveLength(5);
    expect(members).toContainEqual({ path: file, kind: 'file', mediaType: 'application/pdf', length: 46 });
    const [, second] = members.filter(({ kind }) => kind === 'file');
    expect(second).toMatchObject({ mediaType: undefined, length: undefined });
  });

  it('is whether a content is kept', async () => {
    const { digest } = await seedResource(database, { identifier: 'oai:x:2', content: '<other/>' });
    expect(await isKept(database.reader, `sha-256:${digest}`)).toBe(true);
    expect(await isKept(database.reader, `sha-256:${'0'.repeat(64)}`)).toBe(false);
  });
});
