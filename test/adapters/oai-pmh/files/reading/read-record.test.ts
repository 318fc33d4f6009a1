import { describe, expect, test } from 'vitest';
import { fileRank } from '../../../../../adapters/oai-pmh/files/index.ts';
import {
  dspaceServerBase,
  mapDownloadUrl,
} from '../../../../../adapters/oai-pmh/files/reading/download-url.ts';
import { type RecordOrigin, readRecord } from '../../../../../adapters/oai-pmh/items/source-item.ts';
import type { CutRecord } from '../../../../../adapters/oai-pmh/wire/record-parser.ts';

const uuid = '9121e795-0af3-4ff3-be2a-4b28418fb269';
const namespace = 'http://irdb.nii.ac.jp/oai';
const content = Buffer.from(
  `<junii2 xmlns="${namespace}"><fullTextURL>https://repo.example.ac.jp/bitstreams/${uuid}/download</fullTextURL></junii2>`,
);

function record(more: Partial<CutRecord> = {}): CutRecord {
  return {
    identifier: 'oai:repo:1',
    datestamp: '2026-01-01',
    setSpecs: [],
    deleted: false,
    payload: { namespace, content },
    repairs: new Set(),
    ...more,
  };
}

const origin: RecordOrigin = {
  url: 'https://repo.example.ac.jp/oai',
  format: 'junii2',
  publishes: true,
  findsFiles: true,
};

describe('A record', () => {
  test('that is harvested for both brings metadata and files', () => {
    expect(readRecord(record(), origin).item).toMatchObject({
      speaksFor: { formats: ['junii2'], files: { name: 'junii2', rank: 30 } },
      metadata: [{ format: 'junii2' }],
      files: [{ url: `https://repo.example.ac.jp/bitstreams/${uuid}/download`, sequence: 1 }],
    });
  });

  test('that is harvested for files alone publishes no metadata, and the other way round', () => {
    expect(readRecord(record(), { ...origin, publishes: false }).item).toMatchObject({
      speaksFor: { formats: [], files: { name: 'junii2' } },
      metadata: [],
      files: [{ sequence: 1 }],
    });
    expect(readRecord(record(), { ...origin, findsFiles: false }).item).toMatchObject({
      speaksFor: { formats: ['junii2'], files: undefined },
      files: [],
    });
  });

  test('that is deleted has no files any more', () => {
    expect(readRecord(record({ deleted: true }), origin).item).toMatchObject({
      deleted: true,
      speaksFor: { files: { name: 'junii2' } },
      files: [],
    });
  });

  test('in a format that knows no files says nothing about them', () => {
    const payload = { namespace: 'http://arxiv.org/OAI/arXiv/', content: Buffer.from('<arXiv/>') };
    expect(readRecord(record({ payload }), origin).item).toMatchObject({
      speaksFor: { files: undefined },
      files: [],
    });
  });

  test('of DSpace 7 names the bytes instead of the page around them', () => {
    const item = readRecord(record(), {
      ...origin,
      url: 'https://api.example.ac.jp/server/oai/request',
    }).item;
    expect(item?.files[0]?.url).toBe(`https://api.example.ac.jp/server/api/core/bitstreams/${uuid}/content`);
  });
});

describe('The REST API of a DSpace', () => {
  test.each([
    ['https://r.example/server/oai/request', 'https://r.example/server'],
    ['https://r.example/repo/server/oai/openaire4', 'https://r.example/repo/server'],
    ['https://r.example/server/oai/request?verb=Identify', 'https://r.example/server'],
    ['https://r.example/oai/request', undefined],
    ['https://r.example/server/oai', undefined],
    ['https://r.example/x?y=/server/oai/request', undefined],
  ])('is implied by %s: %s', (url, expected) => {
    expect(dspaceServerBase(url)).toBe(expected);
  });

  const server = 'https://r.example.ac.jp/server';
  const page = (host: string) => `https://${host}/bitstreams/${uuid}/download`;

  test('serves the files of its own site alone', () => {
    const bytes = `${server}/api/core/bitstreams/${uuid}/content`;
    expect(mapDownloadUrl(page('r.example.ac.jp'), server)).toBe(bytes);
    expect(mapDownloadUrl(page('ui.example.ac.jp:4000'), server)).toBe(bytes);
    for (const url of [
      page('other.ac.jp'),
      page('example.org'),
      page('127.0.0.1'),
      'https://r.example.ac.jp/bitstream/1/2/3/a.pdf',
      'https://r.example.ac.jp/bitstreams/no-uuid/download',
    ]) {
      expect(mapDownloadUrl(url, server)).toBe(url);
    }
    expect(mapDownloadUrl(page('r.example.ac.jp'), undefined)).toBe(page('r.example.ac.jp'));
  });
});

test('the closer a format is to the repository’s own list of files, the lower its rank', () => {
  const ranks = [
    'http://www.lyncode.com/xoai',
    'http://www.loc.gov/METS/',
    'http://www.w3.org/2005/Atom',
    'https://github.com/JPCOAR/schema/blob/master/2.0/',
    namespace,
    'http://www.loc.gov/mods/v3',
    'http://datacite.org/schema/kernel-4',
    'http://www.openarchives.org/OAI/2.0/oai_dc/',
  ].map((uri) => fileRank(uri) ?? Number.NaN);
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  expect(fileRank('urn:unknown')).toBeUndefined();
  expect(fileRank('', 'rioxx')).toBe(fileRank('http://www.rioxx.net/schema/v3.0/rioxx/'));
});
