import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { insertRows } from '../../../src/store/engine/bulk.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { packAgainst, packBlob } from '../../../src/store/payloads/blobs.ts';
import {
  adoptContentFiles,
  allocateReadBuffers,
  contentFile,
  storingError,
} from '../../../src/store/payloads/content-files.ts';
import type { ContentOwner } from '../../../src/store/payloads/content-owner.ts';
import { type ReadOptions, readContents } from '../../../src/store/payloads/contents.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { keepContent } from '../../house/store/kept-content.ts';

const hashOf = (content: Uint8Array) => `sha-256:${createHash('sha256').update(content).digest('hex')}`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-contents-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Every file below the content store. */
const kept = () =>
  readdirSync(join(directory, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

async function keepSmall(database: Database, content: Buffer): Promise<string> {
  const hash = hashOf(content);
  const conflict = { columns: ['hash'], update: [] };
  await database.transaction((trx) =>
    insertRows(trx, 'blob', [{ ...packBlob(hash, content) }], { conflict }),
  );
  return hash;
}

/** @returns paths, and hashes of what was read */
async function read(
  database: Database,
  owners: readonly ContentOwner[],
  options?: ReadOptions,
): Promise<readonly (readonly [string, string])[]> {
  const found: [string, string][] = [];
  for await (const { owner, content } of readContents(database.reader, directory, owners, options)) {
    const pieces: Buffer[] = [];
    if (content.coding !== 'file') pieces.push(Buffer.from(content.bytes));
    else for await (const chunk of content.chunks) pieces.push(Buffer.from(chunk));
    const bytes = Buffer.concat(pieces);
    expect(content.length).toBe(bytes.length);
    found.push([owner.path, hashOf(bytes)]);
  }
  return found;
}

describeOnBoth('contents', (open_) => {
  test('come in the order asked for, from the database and from files, also twice', async () => {
    const { database } = open_();
    const large = randomBytes(3_000_000);
    const small = Buffer.from('<dc>small</dc>'.repeat(50));
    const file = await keepContent(database, directory, large);
    expect(file).toEqual({ hash: hashOf(large), length: large.length });
    const hash = await keepSmall(database, small);
    const owners = [
      { path: 'a/items/1', hash, length: small.length },
      { path: 'a/items/2', ...file },
      { path: 'a/items/3', hash },
      { path: 'a/items/4', hash: file.hash },
    ];
    const expected = [small, large, small, large].map((bytes, index) => [
      `a/items/${index + 1}`,
      hashOf(bytes),
    ]);
    expect(await read(database, owners)).toEqual(expected);
    expect(await read(database, owners, { buffers: allocateReadBuffers() })).toEqual(expected);
    expect(await read(database, [])).toEqual([]);
  });

  test('are not looked for once nobody waits for them any more', async () => {
    const { database } = open_();
    const content = Buffer.from('<dc>for nobody</dc>');
    const owners = [{ path: 'a/items/1', hash: await keepSmall(database, content) }];
    await expect(read(database, owners, { signal: AbortSignal.abort() })).rejects.toThrow('abort');
    expect(await read(database, owners, { signal: new AbortController().signal })).toHaveLength(1);
  });

  test('more than fits in memory comes in batches', async () => {
    const { database } = open_();
    const contents = Array.from({ length: 6 }, () => randomBytes(3_000_000));
    const owners: ContentOwner[] = [];
    for (const [index, content] of contents.entries()) {
      const hash = await keepSmall(database, content);
      owners.push({ path: `a/items/${index}`, hash, length: content.length });
    }
    const found = await read(database, owners);
    expect(found.map(([, hash]) => hash)).toEqual(owners.map(({ hash }) => hash));
  });

  test('deltas come with the others, also where many are of one base, and with what a ZIP takes', async () => {
    const { database } = open_();
    const base = Buffer.from(`<mets>${randomBytes(1_000_000).toString('hex')}</mets>`);
    const packed = packBlob(hashOf(base), base);
    const keyframe = { hash: packed.hash, content: base, packedLength: packed.data.byteLength };
    const contents = Array.from({ length: 12 }, (_, index) =>
      Buffer.concat([
        base.subarray(0, 90_000 * index),
        Buffer.from(`<edit n="${index}"/>`),
        base.subarray(90_000 * index),
      ]),
    );
    const rows = contents.map((content) => packAgainst(hashOf(content), content, keyframe));
    expect(new Set(rows.map(({ coding }) => coding))).toEqual(new Set(['delta']));
    await database.transaction((trx) =>
      insertRows(
        trx,
        'blob',
        [packed, ...rows].map((row) => ({ ...row })),
      ),
    );
    const owners = [base, ...contents].map((content, index) => {
      return { path: `a/items/${index}`, hash: hashOf(content), length: content.length };
    });
    expect(await read(database, owners)).toEqual(owners.map(({ path, hash }) => [path, hash]));
    for await (const { owner, content } of readContents(database.reader, directory, owners.slice(0, 4))) {
      if (content.coding !== 'deflate-raw') throw new Error('it is in the database, and can be compressed');
      expect(hashOf(inflateRawSync(content.packed))).toBe(owner.hash);
      expect(content.crc).toBe(crc32(content.bytes));
    }
    await database.writer('blob').where({ hash: packed.hash }).delete();
    await expect(read(database, owners.slice(5))).rejects.toMatchObject({
      code: 'content-damaged',
      message: expect.stringMatching(
        `a/items/5 is damaged.*difference from ${packed.hash}, which is missing`,
      ),
    });
  });

  test('damage names the resource', async () => {
    const { database } = open_();
    const content = randomBytes(200_000);
    const file = await keepContent(database, directory, content);
    const path = contentFile(directory, file.hash);
    const failure = (owner: Partial<ContentOwner>) => read(database, [{ path: 'a/items/7', ...owner }]);
    const damaged = { code: 'content-damaged', message: expect.stringContaining('a/items/7') };
    await expect(failure({})).rejects.toMatchObject(damaged);
    await expect(failure({ hash: hashOf(Buffer.from('never seen')) })).rejects.toMatchObject(damaged);
    await expect(failure({ ...file, length: 1 })).rejects.toMatchObject(damaged);
    const flipped = Buffer.from(content);
    flipped[100_000] = (flipped[100_000] ?? 0) ^ 1;
    writeFileSync(path, flipped);
    await expect(failure(file)).rejects.toMatchObject(damaged);
    writeFileSync(path, Buffer.concat([content, content]));
    await expect(failure(file)).rejects.toMatchObject(damaged);
    writeFileSync(path, content.subarray(0, 100));
    await expect(failure(file)).rejects.toMatchObject(damaged);
    // It was set aside.
    expect(existsSync(path)).toBe(false);
    await expect(failure(file)).rejects.toMatchObject(damaged);
    // Storing it again mends it.
    await keepContent(database, directory, content);
    expect(await failure(file)).toHaveLength(1);
  });

  test('a damaged row names the resource', async () => {
    const { database } = open_();
    const content = Buffer.from(`<dc>${randomBytes(400).toString('hex')}</dc>`);
    const hash = await keepSmall(database, content);
    await database
      .writer('blob')
      .where({ hash })
      .update({ data: packBlob(hash, Buffer.alloc(300)).data });
    await expect(read(database, [{ path: 'a/items/8', hash }])).rejects.toMatchObject({
      code: 'content-damaged',
      message: expect.stringContaining('a/items/8'),
    });
  });

  test('the same content stored at the same time is kept once', async () => {
    const { database } = open_();
    const content = randomBytes(300_000);
    const stored = await Promise.all(
      Array.from({ length: 5 }, () => keepContent(database, directory, content)),
    );
    expect(new Set(stored.map(({ hash }) => hash))).toEqual(new Set([hashOf(content)]));
    expect(kept()).toEqual([hashOf(content).slice(8)]);
    expect(readFileSync(contentFile(directory, hashOf(content))).equals(content)).toBe(true);
    expect(await database.reader('blob').where({ hash: hashOf(content) })).toHaveLength(1);
  });

  test('what the database has already needs no file', async () => {
    const { database } = open_();
    const content = randomBytes(1000);
    const hash = await keepSmall(database, content);
    await keepContent(database, directory, content);
    expect(kept()).toEqual([]);
    expect(await read(database, [{ path: 'a', hash }])).toEqual([['a', hash]]);
  });

  test('what cannot be put in its place leaves nothing in the database, and a full disk says so', async () => {
    const { database } = open_();
    const [hash, length, crc] = [hashOf(randomBytes(9)), 9, 1];
    const file = join(directory, 'not downloaded');
    const adopted = adoptContentFiles(database, directory, [{ hash, length, crc, file }]);
    await expect(adopted).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await database.reader('blob').where({ hash })).toEqual([]);
    for (const code of ['ENOSPC', 'EDQUOT']) {
      const cause = Object.assign(new Error(code), { code });
      expect(storingError(cause)).toMatchObject({ code: 'disk-full', retryable: true, cause });
    }
  });

  test('reading ends when it is told to', async () => {
    const { database } = open_();
    const content = randomBytes(3_000_000);
    const file = await keepContent(database, directory, content);
    const controller = new AbortController();
    const reading = readContents(database.reader, directory, [{ path: 'a', ...file }], {
      signal: controller.signal,
    });
    const first = await reading.next();
    if (first.done || first.value.content.coding !== 'file') throw new Error('it is a file');
    const chunks = first.value.content.chunks[Symbol.asyncIterator]();
    await chunks.next();
    controller.abort();
    await expect(chunks.next()).rejects.toThrow('aborted');
  });
});

test('only a hash of ours leads to a file', () => {
  expect(contentFile('data', `sha-256:${'ab'.repeat(32)}`)).toBe(
    join('data', 'blobs', 'ab', 'ab'.repeat(32)),
  );
  for (const hash of ['sha-256:../../etc/passwd', 'md5:00', `sha-256:${'AB'.repeat(32)}`, '']) {
    expect(() => contentFile('data', hash)).toThrow(RangeError);
  }
});
