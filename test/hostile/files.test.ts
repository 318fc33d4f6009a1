import { expect, test } from 'vitest';
import { withLinks } from '../../src/store/rows/link-forms.ts';
import { findSource } from '../../src/store/sources/sources.ts';
import { type HostileFile, identifierOf } from '../house/hostile/repository.ts';
import { openStage, type Scene } from '../house/hostile/scene.ts';

const openScene = openStage();

interface FileRow {
  readonly upstream_url: string;
  readonly length: number | null;
  readonly media_type: string | null;
  readonly links: string;
}

async function openWithFiles(requestsPerHost: number): Promise<Scene> {
  const scene = await openScene({
    formats: ['xoai', 'oai_dc'],
    records: 45,
    source: { formats: ['oai_dc'], files: { from: 'xoai' }, requestsPerHost },
  });
  for (let number = 1; number <= 45; number += 1) {
    scene.repository.editSilently(identifierOf(number), { files: filesOf(number, 'first') });
  }
  return scene;
}

function filesOf(number: number, content: string): readonly HostileFile[] {
  return number % 5 === 0
    ? []
    : [{ name: `article ${number}.pdf`, mediaType: 'application/pdf', content: `%PDF ${content}` }];
}

async function liveFiles({ database, name }: Scene): Promise<readonly FileRow[]> {
  const source = await findSource(database.reader, name);
  const rows: (FileRow & { path: string })[] = await database
    .reader('resource')
    .where({ source_id: source?.id ?? 0, kind: 'file' })
    .whereNull('deleted_at')
    .select('path', 'upstream_url', 'length', 'media_type', 'links');
  return withLinks(database.reader, rows, ['links']);
}

test.each([1, 3])(
  'files are published with their records, %i requests at a time',
  async (requestsPerHost) => {
    const scene = await openWithFiles(requestsPerHost);
    await scene.settle();
    await scene.expectTruth();
    const files = await liveFiles(scene);
    const stated = scene.repository.living.flatMap((record) =>
      record.files.map((_, index) => scene.provider.fileUrl(record, index)),
    );
    expect(files.map((row) => row.upstream_url).sort()).toEqual([...stated].sort());
    for (const { length, media_type, links } of files) {
      expect({ length, media_type }).toEqual({ length: 10, media_type: 'application/pdf' });
      expect(JSON.parse(links)).toContainEqual(expect.objectContaining({ rel: 'describedby' }));
    }
    scene.expectPoliteness();
  },
);

test('quirk 53: a file that changes without a new datestamp is found when it is asked for again', async () => {
  const scene = await openWithFiles(1);
  await scene.settle();
  scene.repository.editSilently(identifierOf(7), { files: filesOf(7, 'another content') });
  scene.clock.advance(40 * 86_400);
  await scene.workOnFiles();
  const changed = (await liveFiles(scene)).find(({ upstream_url }) => upstream_url.includes('/files/7/'));
  expect(changed?.length).toBe('%PDF another content'.length);
});

test('quirk 53: a file that is gone is deleted, although its record says nothing', async () => {
  const scene = await openWithFiles(1);
  await scene.settle();
  const before = (await liveFiles(scene)).length;
  // The record still names it; its server knows nothing of it any more.
  scene.provider.lost.add(scene.provider.fileUrl(scene.repository.get(identifierOf(7)), 0));
  scene.clock.advance(40 * 86_400);
  await scene.workOnFiles();
  expect((await liveFiles(scene)).length).toBe(before - 1);
});
