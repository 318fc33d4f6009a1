import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { auditPayloads, type Damage } from '../../../src/store/payloads/blob-audit.ts';
import { packBlob } from '../../../src/store/payloads/blobs.ts';
import { contentFile } from '../../../src/store/payloads/content-files.ts';
import {
  callForMending,
  hasNewDamage,
  isKeptWhole,
  setAside,
} from '../../../src/store/payloads/damaged-contents.ts';
import { type KeptFilesLook, lookAtKeptFiles } from '../../../src/store/payloads/kept-files.ts';
import { sourceIdOf } from '../../../src/store/rows/one-source.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { keepContent } from '../../house/store/kept-content.ts';
import { contentOf } from '../../house/store/lives.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const now = '2026-11-21T10:00:00Z';
const later = '2026-11-25T10:00:00Z';
const { signal } = new AbortController();

let names = 0;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-damaged-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describeOnBoth('contents that are kept as files', (open) => {
  let database: Database;
  let source: string;
  let sourceId: number;
  beforeEach(async () => {
    database = open().database;
    names += 1;
    source = `damaged-${names}`;
    await ensureSource(database, source, now);
    sourceId = (await sourceIdOf(database.reader, source)) ?? 0;
  });

  /** A file of the source whose content is kept, and due again much later. */
  async function keep(text: string, name = text): Promise<string> {
    const { hash, length } = await keepContent(database, directory, text);
    await database.writer('remote_file').insert({
      ...{ source_id: sourceId, url: `https://repo.example.org/${name}`, outcome: 'confirmed', failures: 0 },
      ...{ content_hash: hash, content_length: length, due_at: later },
    });
    return hash;
  }
  const due = async (): Promise<string[]> =>
    database
      .reader('remote_file')
      .where({ source_id: sourceId, due_at: now })
      .orderBy('id')
      .pluck('content_hash');
  const aside = () => readdirSync(join(directory, 'blobs', 'damaged')).sort();
  const look = (depth: KeptFilesLook['depth']) =>
    lookAtKeptFiles(database, sourceId, { directory, depth, now, signal });
  const mend = async () => [...(await callForMending(database, directory, now))];

  test('are asked for again once they are gone, short, or not what they were', async () => {
    const [sound, gone, short, other] = [
      await keep('sound'),
      await keep('gone'),
      await keep('short'),
      await keep('other'),
    ];
    rmSync(contentFile(directory, gone));
    truncateSync(contentFile(directory, short), 2);
    writeFileSync(contentFile(directory, other), 'OTHER');
    expect(await look('lengths')).toBe(2);
    expect(await due()).toEqual([gone, short]);
    expect(await look('contents')).toBe(3);
    expect(await due()).toEqual([gone, short, other]);
    const isWhole = (hash: string, length?: number) => isKeptWhole(database.reader, directory, hash, length);
    expect(await Promise.all([isWhole(sound), isWhole(sound, 5), isWhole(sound, 6), isWhole(gone)])).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await isWhole(`sha-256:${'0'.repeat(64)}`)).toBe(false);
    const hash = `sha-256:${createHash('sha256').update('in the database').digest('hex')}`;
    const { data, ...row } = packBlob(hash, Buffer.from('in the database'));
    await database.writer('blob').insert({ ...row, data });
    expect([await isWhole(hash), await isWhole(hash, 15), await isWhole(hash, 16)]).toEqual([
      true,
      true,
      false,
    ]);
    await database
      .writer('blob')
      .where({ hash })
      .update({ data: data.subarray(1) });
    expect(await isWhole(hash)).toBe(false);
    await database.writer('blob').where({ hash }).delete();
    const stopped = { directory, depth: 'lengths', now, signal: AbortSignal.abort() } as const;
    await expect(lookAtKeptFiles(database, sourceId, stopped)).rejects.toThrow('abort');
  });

  test('leave their place when they are found damaged, and are called for once', async () => {
    const hash = await keep('precious');
    const file = contentFile(directory, hash);
    const hex = hash.slice(8);
    expect([await hasNewDamage(directory), await mend()]).toEqual([false, []]);
    // Its successor has come since it was read.
    await setAside(directory, hash, statSync(file).ino + 1);
    expect(existsSync(file)).toBe(true);
    writeFileSync(file, 'damaged!');
    await setAside(directory, hash, statSync(file).ino);
    expect([existsSync(file), aside()]).toEqual([false, [hex]]);
    expect(readFileSync(join(directory, 'blobs', 'damaged', hex), 'utf8')).toBe('damaged!');
    // Whoever reads it again finds nothing there: the bytes that were set aside stay.
    await setAside(directory, hash);
    expect(readFileSync(join(directory, 'blobs', 'damaged', hex), 'utf8')).toBe('damaged!');
    expect(await hasNewDamage(directory)).toBe(true);
    expect(await mend()).toEqual([source]);
    expect(await due()).toEqual([hash]);
    expect([aside(), await hasNewDamage(directory), await mend()]).toEqual([[`${hex}.known`], false, []]);
    await setAside(directory, hash);
    expect(aside()).toEqual([`${hex}.known`]);
    await keepContent(database, directory, 'precious');
    expect([await mend(), aside()]).toEqual([[], []]);
  });

  test('that are missing are remembered as such, and what nobody keeps is forgotten', async () => {
    const hash = await keep('missing');
    rmSync(contentFile(directory, hash));
    await setAside(directory, hash);
    await setAside(directory, `sha-256:${'0'.repeat(64)}`);
    writeFileSync(join(directory, 'blobs', 'damaged', 'a note of somebody'), '');
    expect(aside()).toHaveLength(3);
    expect(await mend()).toEqual([source]);
    expect(aside()).toEqual([`${hash.slice(8)}.known`, 'a note of somebody'].sort());
    // A disk that is not mounted says nothing of any content.
    await setAside(join(directory, 'not mounted'), hash);
    expect(existsSync(join(directory, 'not mounted'))).toBe(false);
    expect(await hasNewDamage(join(directory, 'not mounted'))).toBe(false);
  });

  test('count as damaged by what is read of them, never because reading was stopped', async () => {
    // Read in two pieces.
    await keep('large'.repeat(300_000), 'large');
    const stop = new AbortController();
    const stopped = lookAtKeptFiles(database, sourceId, {
      ...{ directory, depth: 'contents', now, signal: stop.signal },
      onProgress: (done) => done > 0 && stop.abort(),
    });
    await expect(stopped).rejects.toThrow('abort');
    expect(await due()).toEqual([]);
  });

  test('are not called for twice, nor in the way of each other, when two processes look at once', async () => {
    const hashes = [await keep('first'), await keep('second')];
    for (const hash of hashes) {
      writeFileSync(contentFile(directory, hash), 'x');
      // Somebody has made a directory where the file is to be put.
      mkdirSync(join(directory, 'blobs', 'damaged', hash.slice(8), 'more'), { recursive: true });
      mkdirSync(join(directory, 'blobs', 'damaged', `${hash.slice(8)}.known`, 'more'), { recursive: true });
      await setAside(directory, hash);
      expect(readFileSync(join(directory, 'blobs', 'damaged', hash.slice(8)), 'utf8')).toBe('x');
    }
    expect((await Promise.all([mend(), mend()])).flat()).toContain(source);
    expect(aside()).toEqual(hashes.map((hash) => `${hash.slice(8)}.known`).sort());
    expect(await due()).toEqual(hashes);
    for (const text of ['first', 'second']) await keepContent(database, directory, text);
    mkdirSync(join(directory, 'blobs', 'damaged', 'f'.repeat(64), 'more'), { recursive: true });
    await Promise.all([mend(), mend()]);
    expect(aside()).toEqual([]);
  });

  test('are audited with all that is kept in the database', async () => {
    const told = await ToldSource.open(database, `${source}-told`);
    await told.tell({ 1: { formats: { oai_dc: contentOf(1) } } });
    await told.tell({ 1: { formats: { oai_dc: contentOf(2) } } });
    const [sound, bad] = [await keep('well'), await keep('bad')];
    const audit = async (stop?: AbortSignal) => {
      const damages: Damage[] = [];
      const walk = auditPayloads(database.reader, directory, stop);
      for (;;) {
        const { done, value } = await walk.next();
        if (done) return { damages, total: value };
        damages.push(value);
      }
    };
    const rows: { length: number; coding: string; size: number }[] = await database
      .reader('blob')
      .select('length', 'coding', database.reader.raw('length(data) as size'));
    const sum = (numbers: readonly (number | string)[]) =>
      numbers.reduce((total: number, one) => total + Number(one), 0);
    const before = await audit();
    expect(before.total).toEqual({
      payloads: rows.length,
      bytes: sum(rows.map(({ length }) => length)),
      stored: sum(rows.filter(({ coding }) => coding !== 'file').map(({ size }) => size)),
      deltas: rows.filter(({ coding }) => coding === 'delta').length,
      files: rows.filter(({ coding }) => coding === 'file').length,
      objects: 0,
      toMove: 0,
    });
    expect(before.total.deltas).toBeGreaterThan(0);
    const known = new Set(before.damages.map(({ hash }) => hash));
    writeFileSync(contentFile(directory, bad), 'BAD');
    const [delta] = await database.reader('blob').where({ coding: 'delta' }).orderBy('hash').pluck('hash');
    await database
      .writer('blob')
      .where({ hash: delta })
      .update({ data: Buffer.from('no delta') });
    const { damages } = await audit();
    const found = damages.filter(({ hash }) => !known.has(hash));
    expect(found.map(({ hash, isFile }) => [hash, isFile])).toEqual([
      [delta, false],
      [bad, true],
    ]);
    for (const { message } of found) expect(message).not.toBe('');
    expect(damages.map(({ hash }) => hash)).not.toContain(sound);
    await expect(audit(AbortSignal.abort())).rejects.toThrow('abort');
  });
});
