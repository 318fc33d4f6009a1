import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkDocument } from '../../src/conformance/rules/document-check.ts';
import type { SourceFile } from '../../src/core/adapter.ts';
import { LivingSource } from '../house/publish/living-source.ts';
import { textOf } from '../house/publish/reading.ts';
import { baseUrl } from '../house/publish/seed.ts';
import { hashOf } from '../house/publish/stocked-source.ts';
import { readZip } from '../house/publish/zip-reading.ts';
import { describeOnBoth } from '../house/store/databases.ts';

const mirrors = [{ url: 'https://copy.example.org/rs' }];

describeOnBoth('publishing files', (open) => {
  let source: LivingSource;
  let url: string;
  let file: SourceFile;

  beforeEach(async () => {
    source = await LivingSource.begin(open().database);
    // No two sources can have one address.
    url = `https://files.example.org/${source.name}/a%20b.pdf?x=1&y=2`;
    file = { url, name: 'a b.pdf', sequence: 1, mediaType: 'application/pdf', length: 5 };
  });
  afterEach(() => source.end());

  const choices = { dumps: ['all', 'metadata'], mirrors };
  const all = () => source.set('all', choices);
  const list = (name: string) => textOf(source.publication, `${source.name}/${name}`);
  const entryOf = (text: string, loc: string) =>
    text.split('\n').find((line) => line.includes(`<loc>${loc.replaceAll('&', '&amp;')}</loc>`)) ?? '';

  async function publish(): Promise<void> {
    const publisher = source.publisher({ changeListMinutes: 1 });
    await publisher.publish(all(), { resourceList: 'always', close: true });
    await publisher.publishDumps(all(), { resourceDump: 'always' });
  }

  async function packageAt(path: string): Promise<ReadonlyMap<string, Buffer>> {
    const document = await source.publication.find(path.slice(baseUrl.length + 1));
    if (!document) throw new Error(`${path} is not published`);
    return readZip(await buffer(document.plain.open(0, document.plain.length)));
  }

  const locs = (text: string) => [...text.matchAll(/<loc>([^<]+)/g)].map(([, loc = '']) => loc);

  test('a file that is linked to has its own address, links to what describes it, and no copy anywhere', async () => {
    source.fileMode = 'link';
    await source.deliver('a', { files: [file], collections: ['c'] });
    await publish();
    const metadata = `${baseUrl}/${source.name}/items/a/oai_dc.xml`;
    for (const name of ['resourcelist.xml', 'changelist.xml']) {
      const text = await list(name);
      expect(locs(text).sort()).toEqual([url.replace('&', '&amp;'), metadata].sort());
      const entry = entryOf(text, url);
      expect(entry).toContain('length="5" type="application/pdf"');
      expect(entry).toContain(`<rs:ln rel="describedby" href="${metadata}" type="application/xml"/>`);
      expect(entry).toContain(`<rs:ln rel="collection" href="${baseUrl}/${source.name}/collections/c"/>`);
      expect(entry).not.toContain('duplicate');
      expect(entry).not.toContain('rel="via"');
      expect(entryOf(text, metadata)).toContain(`rel="describes" href="${url.replace('&', '&amp;')}"`);
      expect(entryOf(text, metadata)).toContain(
        `rel="duplicate" href="https://copy.example.org/rs/${source.name}/items/a/oai_dc.xml"`,
      );
      const { findings } = await checkDocument(chunk(text), { maximumFindings: 10 });
      // These records are too plain for a profile.
      expect(findings.filter(({ rule }) => rule !== 'RS-LN-17')).toEqual([]);
    }
  });

  test('a linked file that goes is deleted under its own address', async () => {
    source.fileMode = 'link';
    await source.deliver('a', { files: [file] });
    await publish();
    source.clock.set('2026-11-21T13:00:00Z');
    await source.deliver('a', { text: 'other', files: [] });
    await publish();
    expect(locs(await list('resourcelist.xml'))).toEqual([`${baseUrl}/${source.name}/items/a/oai_dc.xml`]);
    expect(await list('changelist.xml')).toMatch(
      /<loc>https:\/\/files\.example\.org[^<]*<\/loc><lastmod>[^<]*<\/lastmod><rs:md change="deleted"/,
    );
  });

  test.each(['link', 'proxy'] as const)(
    'no dumps of files in mode %s; those of metadata stay',
    async (mode) => {
      source.fileMode = mode;
      await source.deliver('a', { files: [file] });
      await publish();
      const publisher = source.publisher();
      const metadata = source.set('metadata', choices);
      await publisher.publish(metadata, { resourceList: 'always', close: true });
      await publisher.publishDumps(metadata, { resourceDump: 'always' });
      expect(await list('capabilitylist.xml')).not.toContain('dump');
      expect(await list('metadata/capabilitylist.xml')).toContain('capability="resourcedump"');
    },
  );

  test('the same bytes being kept for something else, a linked file is in no dump (RS-CAP-11)', async () => {
    const content = randomBytes(5);
    source.fileMode = 'mirror';
    await source.deliver('a', { files: [file] });
    await source.mirror(url, content);
    const other = await LivingSource.begin(open().database);
    try {
      other.fileMode = 'link';
      await other.deliver('a', { files: [{ ...file, url: `${url}&z`, hash: hashOf(content) }] });
      const publisher = other.publisher();
      const set = other.set('all', choices);
      await publisher.publish(set, { resourceList: 'always' });
      await publisher.publishDumps(set, { resourceDump: 'always' });
      const capabilities = await textOf(other.publication, `${other.name}/capabilitylist.xml`);
      expect(capabilities).not.toContain('dump');
    } finally {
      await other.end();
    }
  });

  test('mirrored files are in Resource Dump and Change Dump, byte for byte, in each of their versions', async () => {
    source.fileMode = 'mirror';
    await source.deliver('a', { files: [file] });
    const [first, second] = [randomBytes(300_000), randomBytes(200_000)];
    await source.mirror(url, first);
    await publish();
    source.clock.set('2026-11-21T13:00:00Z');
    await source.mirror(url, second);
    await publish();

    const [snapshot = ''] = locs(await list('resourcedump.xml'));
    const dumped = await packageAt(snapshot);
    expect(dumped.get('items/a/files/1-a~20b.pdf')?.equals(second)).toBe(true);
    expect(dumped.get('manifest.xml')?.toString()).toContain(`hash="${hashOf(second)}" length="200000"`);

    const packages = locs(await list('changedump.xml'));
    expect(packages).toHaveLength(2);
    const versions = await Promise.all(packages.map(packageAt));
    const contents = versions.map((members) =>
      [...members].filter(([name]) => name.includes('/files/')).map(([, bytes]) => bytes),
    );
    expect(contents.map((found) => found.map(hashOf))).toEqual([[hashOf(first)], [hashOf(second)]]);
    expect(versions[0]?.get('manifest.xml')?.toString()).toContain('path="/000001/items/a/');
  });

  test('files that are mirrored from now on: the Change Dump begins behind the time without their bytes', async () => {
    await source.deliver('a', { files: [file] });
    await publish();
    expect(await list('capabilitylist.xml')).not.toContain('dump');
    source.clock.set('2026-11-21T13:00:00Z');
    source.fileMode = 'mirror';
    const content = randomBytes(1000);
    await source.deliver('a', { text: 'other', files: [file] });
    await source.mirror(url, content);
    await publish();
    source.clock.set('2026-11-21T14:00:00Z');
    await source.deliver('b');
    await publish();
    expect(await list('capabilitylist.xml')).toContain('capability="changedump"');
    const packages = locs(await list('changedump.xml'));
    expect(packages).toHaveLength(2);
    const members = (await Promise.all(packages.map(packageAt))).flatMap((found) => [...found]);
    const files = members.filter(([name]) => name.includes('/files/'));
    expect(files.map(([, bytes]) => hashOf(bytes))).toEqual([hashOf(content)]);
    expect(members.map(([name]) => name)).toContain('000001/items/b/oai_dc.xml');
    const sets = await source.publication.sets();
    expect(sets.map(({ trouble }) => trouble)).toEqual([undefined]);
  });
});

async function* chunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
