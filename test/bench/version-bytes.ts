import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import type { SourceItem } from '../../src/core/adapter.ts';
import { mapItem } from '../../src/core/mapping/mapping.ts';
import { sampleFormats } from '../../src/demo/provider/formats.ts';
import { createRecord } from '../../src/demo/records/records.ts';
import { openDatabase } from '../../src/store/engine/database.ts';
import { storePage } from '../../src/store/pages/store-page.ts';
import { type BlobRow, packAgainst, packBlob, unpackBlob } from '../../src/store/payloads/blobs.ts';
import { acquireLease } from '../../src/store/runs/leases.ts';
import { startRun } from '../../src/store/runs/runs.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { ensureSource } from '../../src/store/sources/sources.ts';
import { startPostgres } from '../house/postgres/server.ts';
import { print } from './once/processes.ts';
import { measureRows, sizes } from './rows/row-bytes.ts';

/**
 * What a version costs: `npm run bench version-bytes [RECORDS] [VERSIONS]`, by default 200 records with 10 versions
 * each, of which every one has a word, a date or a subject that the one before had not. First the payloads alone, in
 * octets a version after the first, beside deflate alone, deflate with a record of the same format as its dictionary,
 * and deflate with the first version as its dictionary, in blocks of 16 kB (its window is 32 kB). Then the growth of
 * a whole SQLite file. Target: 15 % of the XML. At last what the rows cost on SQLite and on PostgreSQL, by tables with
 * their indexes: 25 times as many records of 2 kB for the first time, once more with a small edit each, and in a full pass
 * in which nothing has changed. Targets on SQLite: 1,200 bytes beside the payload, 450 in all, 20 of the log.
 */
const [records = '200', versions = '10'] = process.argv.slice(2);

/** The same numbers each time. */
function numbers(): (limit: number) => number {
  let state = 20_261_121;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % limit;
  };
}

const words = Array.from({ length: 400 }, (_, index) =>
  digest(`word ${index}`)
    .replace(/\d/g, '')
    .slice(0, 3 + (index % 9)),
);

function digest(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

function dim(position: number): string {
  const { title, creators } = createRecord(position, '2026-01-01T00:00:00Z');
  const field = (element: string, qualifier: string, value: string) =>
    `<dim:field mdschema="dc" element="${element}" qualifier="${qualifier}" lang="en_US">${value}</dim:field>\n`;
  const abstract = Array.from(
    { length: 180 },
    (_, index) => words[(index * 7 + position * 31) % words.length],
  ).join(' ');
  return [
    '<dim:dim xmlns:dim="http://www.dspace.org/xmlns/dspace/dim">\n',
    ...creators.map((creator) =>
      field('contributor', 'author', JSON.stringify(creator).replace(/[<>&"]/g, ' ')),
    ),
    ...['accessioned', 'available', 'issued'].map((name, index) =>
      field('date', name, `20${10 + (position % 16)}-0${1 + index}-11T08:15:4${index}Z`),
    ),
    field('description', 'abstract', abstract),
    field('title', 'none', title.replace(/[<>&]/g, ' ')),
    ...words.slice(position % 100, (position % 100) + 12).map((word) => field('subject', 'none', word)),
    '</dim:dim>\n',
  ].join('');
}

/** About 100 kB, as of an item with 300 files. */
function mets(position: number): string {
  const file = (number: number) => {
    const sum = digest(`${position}/${number}`);
    return `<mets:file ID="bitstream_${position}_${number}" MIMETYPE="application/pdf" SIZE="${Number.parseInt(sum.slice(0, 6), 16)}" CHECKSUM="${sum}" CHECKSUMTYPE="MD5"><mets:FLocat LOCTYPE="URL" xlink:type="simple" xlink:href="https://repo.example.org/bitstream/handle/20.500.1/${position}/${number}.pdf?sequence=${number}"/></mets:file>\n`;
  };
  const files = Array.from({ length: 300 }, (_, number) => file(number)).join('');
  return `<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"><mets:dmdSec ID="dmd"><mets:xmlData>${dim(position)}</mets:xmlData></mets:dmdSec>\n<mets:fileSec>${files}</mets:fileSec></mets:mets>`;
}

/** A word of a text, all dates of a field, or one more element like another. */
function edit(xml: string, random: (limit: number) => number): string {
  const texts = [...xml.matchAll(/<([\w:]+)([^<>]*)>([^<>]{4,})<\/\1>/g)];
  const match = texts[random(texts.length)];
  if (!match) return xml;
  const [element, name = '', attributes = '', text = ''] = match;
  const kind = random(3);
  const word = `${words[random(words.length)]}${random(100)}`;
  const pieces = text.split(' ');
  pieces[random(pieces.length)] = word;
  const replaced = `<${name}${attributes}>${pieces.join(' ')}</${name}>`;
  const dated = `<${name}${attributes}>20${10 + random(16)}-0${1 + random(9)}-1${random(9)}T10:00:00Z</${name}>`;
  const added = `${element}\n<${name}${attributes}>${word} ${words[random(words.length)]}</${name}>`;
  const next = [replaced, /^\d{4}-/.test(text) ? dated : replaced, added][kind] ?? element;
  return xml.slice(0, match.index) + next + xml.slice(match.index + element.length);
}

const formats: readonly { readonly name: string; write(position: number): string }[] = [
  ...sampleFormats.map(({ prefix, write }) => {
    return {
      name: prefix,
      write: (position: number) =>
        write(createRecord(position, '2026-01-01T00:00:00Z'), 'https://repo.example.org/oai'),
    };
  }),
  { name: 'dim', write: dim },
  { name: 'mets', write: mets },
];

const hashOf = (content: Uint8Array) => `sha-256:${createHash('sha256').update(content).digest('hex')}`;

/** Octets, in blocks, each with 32 kB of the base around its place. */
function dictionaryDelta(base: Buffer, content: Buffer): number {
  let total = 0;
  for (let start = 0; start < content.length; start += 16_384) {
    const from = Math.max(0, Math.min(start - 8192, base.length - 32_768));
    const dictionary = base.subarray(from, from + 32_768);
    total += 2 + deflateRawSync(content.subarray(start, start + 16_384), { level: 6, dictionary }).length;
  }
  return total;
}

function measurePayloads({ name, write }: (typeof formats)[number]): void {
  const random = numbers();
  const shared = Buffer.from(write(9999));
  const total = {
    versions: 0,
    raw: 0,
    deflate: 0,
    sharedDictionary: 0,
    dictionaryDelta: 0,
    delta: 0,
    keyframes: 0,
  };
  const times: Record<'deflate' | 'pack' | 'inflate' | 'unpack', number[]> = {
    deflate: [],
    pack: [],
    inflate: [],
    unpack: [],
  };
  const timed = <Result>(what: keyof typeof times, work: () => Result): Result => {
    const startedAt = performance.now();
    const result = work();
    times[what].push(performance.now() - startedAt);
    return result;
  };
  const count = Math.max(5, Math.floor(Number(records) / (name === 'mets' ? 10 : 1)));
  for (let position = 0; position < count; position += 1) {
    let xml = write(position);
    const first = Buffer.from(xml);
    let base = packBlob(hashOf(first), first);
    let keyframe = { hash: base.hash, content: first, packedLength: base.data.byteLength };
    for (let version = 1; version < Number(versions); version += 1) {
      xml = edit(xml, random);
      const content = Buffer.from(xml);
      const hash = hashOf(content);
      const whole = timed('deflate', () => packBlob(hash, content));
      const blob = timed('pack', () => packAgainst(hash, content, keyframe));
      timed('inflate', () => unpackBlob(whole));
      const rows = new Map<string, BlobRow>([[base.hash, base]]);
      const restored = timed('unpack', () => unpackBlob(blob, rows));
      if (Buffer.compare(restored, content) !== 0) throw new Error('a delta makes other bytes');
      total.versions += 1;
      total.raw += content.length;
      total.deflate += whole.data.byteLength;
      total.sharedDictionary += deflateRawSync(content, {
        level: 6,
        dictionary: shared.subarray(0, 32_768),
      }).length;
      total.dictionaryDelta += dictionaryDelta(keyframe.content, content);
      total.delta += blob.data.byteLength;
      if (blob.coding === 'delta') continue;
      total.keyframes += 1;
      base = blob;
      keyframe = { hash, content, packedLength: blob.data.byteLength };
    }
  }
  const each = (bytes: number) => Math.round(bytes / total.versions);
  const micros = (samples: number[]) =>
    Math.round((samples.sort((a, b) => a - b)[samples.length >> 1] ?? 0) * 1000);
  print({
    format: name,
    rawBytes: each(total.raw),
    deflate: each(total.deflate),
    sharedDictionary: each(total.sharedDictionary),
    dictionaryDelta: each(total.dictionaryDelta),
    delta: each(total.delta),
    percent: Number(((100 * total.delta) / total.raw).toFixed(1)),
    keyframes: total.keyframes,
    packMicros: { deflate: micros(times.deflate), delta: micros(times.pack) },
    unpackMicros: { inflate: micros(times.inflate), delta: micros(times.unpack) },
  });
}

/** The growth of a database in which records of one format get new versions, and of what in it. */
async function measureDatabase({ name, write }: (typeof formats)[number]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
  const database = openDatabase({ client: 'sqlite', file: join(directory, 'bench.db') });
  try {
    await migrate(database);
    await ensureSource(database, 'bench', '2026-01-01T00:00:00Z');
    const lease = await acquireLease(database, 'bench', Date.parse('2026-01-01T00:00:00Z'));
    const random = numbers();
    const count = Math.ceil(Number(records) * (name === 'mets' ? 0.5 : 10));
    const contents = Array.from({ length: count }, (_, position) => write(position));
    let raw = 0;
    let before: ReadonlyMap<string, number> = new Map();
    for (let version = 0; version < Number(versions); version += 1) {
      const iso = `2026-01-01T00:${String(version + 1).padStart(2, '0')}:00Z`;
      const now = { iso, milliseconds: Date.parse(iso) };
      const run = await startRun(database.writer, {
        sourceId: lease.sourceId,
        mode: 'incremental',
        selection: '{}',
        since: undefined,
        startedAt: iso,
      });
      for (let start = 0; start < contents.length; start += 100) {
        const items = contents
          .slice(start, start + 100)
          .map((xml, index) => toItem(name, start + index, xml));
        const page = {
          items: items.map((item) => mapItem('bench', item)),
          problems: [],
          checkpoint: undefined,
        };
        await storePage(database, lease, run, page, now);
      }
      if (version === 0) before = await sizes(database);
      for (const [index, xml] of contents.entries()) {
        if (version > 0) raw += Buffer.byteLength(xml);
        contents[index] = edit(xml, random);
      }
    }
    const after = await sizes(database);
    const changes = contents.length * (Number(versions) - 1);
    const growth = [...after].map(
      ([table, bytes]) => [table, Math.round((bytes - (before.get(table) ?? 0)) / changes)] as const,
    );
    print({
      format: name,
      rawBytes: Math.round(raw / changes),
      databaseBytes: growth.reduce((sum, [, bytes]) => sum + bytes, 0),
      ...Object.fromEntries(growth.filter(([, bytes]) => bytes > 0)),
    });
  } finally {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function toItem(format: string, position: number, xml: string): SourceItem {
  return {
    identifier: `oai:repo.example.org:${position}`,
    datestamp: '2026-01-01T00:00:00Z',
    collections: ['col_1', 'com_2'],
    speaksFor: { formats: [format], files: undefined },
    deleted: false,
    metadata: [{ format, content: Buffer.from(xml), profile: `https://example.org/${format}/` }],
    files: [],
  };
}

for (const format of formats) measurePayloads(format);
for (const format of formats) await measureDatabase(format);
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const server = await startPostgres();
const random = numbers();
try {
  const rows = { count: 25 * Number(records), words, edit: (xml: string) => edit(xml, random) };
  await measureRows({ client: 'sqlite', file: join(directory, 'rows.db') }, rows);
  await measureRows({ client: 'pg', url: server.url, poolSize: 5 }, rows);
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
