import { expect, test } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { withoutWithdrawn } from '../../../src/core/mapping/withdrawn.ts';

const none = { whole: false, paths: new Set<string>(), formats: new Set<string>(), urls: new Set<string>() };

const delivered: SourceItem = {
  identifier: 'a',
  datestamp: undefined,
  collections: [],
  speaksFor: { formats: ['dim', 'mods'], files: undefined },
  deleted: false,
  metadata: ['dim', 'mods'].map((format) => ({ format, content: Buffer.from(format) })),
  files: ['1', '2'].map((name) => ({ url: `https://repo.example.org/${name}`, name, sequence: 1 })),
};
const present = mapItem('repo', delivered);
const withPast = mapItem('repo', {
  ...delivered,
  versions: [
    {
      number: 1,
      createdAt: '2026-01-01T00:00:00Z',
      metadata: delivered.metadata,
      files: delivered.files,
    },
  ],
});

test('where nothing was withdrawn, a delivery is as it was', () => {
  expect(withoutWithdrawn(withPast, undefined)).toBe(withPast);
  expect(withoutWithdrawn(withPast, none)).toEqual(withPast);
});

test('an item that was withdrawn is as good as deleted, with all that it was before', () => {
  const gone = { deleted: true, resources: [], files: [] };
  expect(withoutWithdrawn(present, { ...none, whole: true })).toEqual({ ...present, ...gone });
  expect(withoutWithdrawn(withPast, { ...none, whole: true })).toEqual({
    ...withPast,
    ...gone,
    versions: [],
  });
});

test('a format that was withdrawn is gone from the item and from what it was before', () => {
  const withdrawn = { ...none, paths: new Set(['repo/items/a/mods.xml']), formats: new Set(['mods']) };
  const left = withoutWithdrawn(withPast, withdrawn);
  expect(left.deleted).toBe(false);
  expect(left.resources.map(({ path }) => path)).toEqual(['repo/items/a/dim.xml']);
  expect(left.versions?.map(({ metadata }) => metadata.map(({ format }) => format))).toEqual([['dim']]);
  expect([left.files, left.versions?.[0]?.files]).toEqual([withPast.files, withPast.versions?.[0]?.files]);
});

test('a file that was withdrawn is gone from the item and from what it was before', () => {
  const left = withoutWithdrawn(withPast, { ...none, urls: new Set(['https://repo.example.org/1']) });
  const urls = ['https://repo.example.org/2'];
  expect(left.files.map(({ url }) => url)).toEqual(urls);
  expect(left.versions?.[0]?.files.map(({ url }) => url)).toEqual(urls);
  expect(left.resources).toEqual(withPast.resources);
  // What is known of earlier versions stays as it is where the delivery says nothing of them.
  expect(withoutWithdrawn(present, none)).not.toHaveProperty('versions');
});
