import type { Knex } from 'knex';
import { beforeEach, expect, test } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import {
  hasUnknownFiles,
  listDueFiles,
  listProbes,
  listUnconfirmedFiles,
} from '../../../src/store/files/due-files.ts';
import { askForAllFiles } from '../../../src/store/files/redelivered-files.ts';
import { saveRemoteFiles } from '../../../src/store/files/remote-file-writing.ts';
import type { RemoteFile } from '../../../src/store/files/remote-files.ts';
import { type Asked, planOf } from '../../house/postgres/asked.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

let sources = 0;

describeOnBoth('files that are to be asked for', (open) => {
  let source: ToldSource;
  const urlOf = (name: string) => `https://repo.example.org/${source.name}/${name}.pdf`;
  const namesOf = (files: readonly { readonly url: string }[]) =>
    files.map(({ url }) => url.replace(/^.*\/|\.pdf$/g, ''));
  const due = async (trust?: 'all' | 'unknown', limit = 10) =>
    namesOf(await listDueFiles(source.database.reader, source.id, source.now, limit, trust));

  /** What the item says of a file. */
  const state = (name: string, facts: Record<string, unknown>) =>
    source.database
      .writer('item_file')
      .where({ source_id: source.id, url: urlOf(name) })
      .update(facts);

  /** What is known of it, and when it is due. */
  const know = (name: string, facts: Partial<RemoteFile> = {}) =>
    saveRemoteFiles(source.database, source.id, [
      { url: urlOf(name), outcome: 'confirmed', failures: 0, checkedAt: source.now, ...facts },
    ]);

  beforeEach(async () => {
    sources += 1;
    source = await ToldSource.open(open().database, `due-${sources}`);
    await source.tell({
      1: { files: [urlOf('a'), urlOf('b')] },
      2: { files: [urlOf('c'), urlOf('d')] },
    });
  });

  test('those that are overdue for the longest time come first, and none before its time', async () => {
    await know('a', { dueAt: addSeconds(source.now, -1) });
    await know('b', { dueAt: addSeconds(source.now, 1) });
    await know('c', { dueAt: source.now });
    await know('d', { dueAt: addSeconds(source.now, -60) });
    expect(await due()).toEqual(['d', 'a', 'c']);
    expect(await due('all', 2)).toEqual(['d', 'a']);
    expect(await due('unknown')).toEqual([]);
  });

  test('many that are due at once are not sorted for the next few', async () => {
    const { database, id, now } = source;
    const rows = Array.from({ length: 3000 }, (_, number) => ({ url: urlOf(`many-${number}`), dueAt: now }));
    await source.tell({ 3: { files: rows.map(({ url }) => url) } });
    await saveRemoteFiles(
      database,
      id,
      rows.map((row) => ({ ...row, outcome: 'confirmed', failures: 0, checkedAt: now }) as const),
    );
    const asked: Asked[] = [];
    const hear = (query: Asked) => asked.push(query);
    database.reader.on('query', hear);
    await due('all', 50);
    database.reader.off('query', hear);
    const [question] = asked.filter(({ sql }) => sql.includes('remote_file'));
    if (!question) throw new Error('nothing was asked');
    if (database.client === 'pg') {
      await database.writer.raw('analyze');
      expect(await planOf(database, question)).not.toContain('Sort');
    } else {
      const plan = await database.reader.raw(`explain query plan ${question.sql}`, [
        ...question.bindings,
      ] as Knex.Value[]);
      expect(JSON.stringify(plan)).not.toContain('ORDER BY');
    }
  });

  test('only those that everybody may read by now, as far as their repository says', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await know(name, { dueAt: source.now });
    await state('a', { access: 'restricted' });
    await state('b', { access: 'embargoed', available_at: addSeconds(source.now, 60) });
    await state('c', { access: 'open' });
    expect(await hasUnknownFiles(source.database.reader, source.id)).toBe(false);
    await state('d', { access: 'unknown' });
    expect(await due()).toEqual(['c', 'd']);
    expect(await due('unknown')).toEqual(['d']);
    expect(await hasUnknownFiles(source.database.reader, source.id)).toBe(true);
    const other = await ToldSource.open(source.database, `${source.name}-other`);
    expect(await hasUnknownFiles(source.database.reader, other.id)).toBe(false);
    source.now = addSeconds(source.now, 60);
    expect(await due()).toEqual(['b', 'c', 'd']);
    // Nobody states it any more.
    await source.tell({ 2: { files: [] } });
    expect(await due()).toEqual(['b']);
  });

  test('with what the first of those that state them says', async () => {
    await know('a', { dueAt: source.now });
    await know('b', { dueAt: source.now });
    for (const name of ['c', 'd']) await know(name);
    await source.tell({ 3: { files: [urlOf('a')] } });
    await state('a', { length: 5, rank: 7 });
    await source.database
      .writer('item_file')
      .where({ url: urlOf('a') })
      .whereIn('item_id', source.database.writer('item').select('id').where({ identifier: '3' }))
      .update({ length: 7, media_type: 'application/pdf', hash: 'md5:0', rank: 3 });
    const files = await listDueFiles(source.database.reader, source.id, source.now, 10);
    expect(files.map(({ stated }) => stated)).toEqual([
      { length: 7, mediaType: 'application/pdf', hash: 'md5:0' },
      { length: undefined, mediaType: undefined, hash: undefined },
    ]);
  });

  test('after a full pass all that were not asked for since it began, however many, some at a time', async () => {
    const { database, id } = source;
    const since = addSeconds(source.now, -10);
    const later = addSeconds(source.now, 1000);
    const rows = Array.from({ length: 5100 }, (_, number) => ({
      url: urlOf(`many-${number}`),
      dueAt: later,
    }));
    await saveRemoteFiles(
      database,
      id,
      rows.map(
        (row) => ({ ...row, outcome: 'confirmed', failures: 0, checkedAt: addSeconds(since, -1) }) as const,
      ),
    );
    await know('a', { dueAt: later });
    await know('b', { dueAt: since, checkedAt: addSeconds(since, -1) });
    await know('c', { dueAt: undefined, checkedAt: undefined, outcome: 'unchecked' });
    const updates: string[] = [];
    const hear = ({ sql }: Asked) => {
      if (/^update .remote_file/.test(sql)) updates.push(sql);
    };
    database.writer.on('query', hear);
    await askForAllFiles(database, id, since, source.now);
    database.writer.off('query', hear);
    expect(updates).toHaveLength(2);
    const rowsWith = (facts: object) => database.writer('remote_file').where({ source_id: id, ...facts });
    // And `c` and `d`, which nobody has asked for.
    expect(await rowsWith({ due_at: source.now })).toHaveLength(5102);
    expect(await rowsWith({ due_at: later, url: urlOf('a') })).toHaveLength(1);
    expect(await rowsWith({ due_at: since, url: urlOf('b') })).toHaveLength(1);
  });

  test('before all others those that decide about others', async () => {
    await know('a', { dueAt: source.now });
    await know('b', { dueAt: '1970-01-01T00:00:00Z' });
    expect(namesOf(await listProbes(source.database.reader, source.id, source.now))).toEqual(['b']);
  });

  test('where only their server knows it: each that was not asked for since, a page after the other', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await state(name, { access: 'unknown' });
    const since = addSeconds(source.now, -10);
    await know('a', { checkedAt: addSeconds(since, -1), contentHash: `sha-256:${'0'.repeat(64)}` });
    await know('b', { checkedAt: since });
    await know('c', { outcome: 'unchecked', checkedAt: undefined });
    await know('d', { checkedAt: addSeconds(since, -2) });
    const list = async (after: number, limit: number, keptOnly = false) => {
      const options = { after, limit, keptOnly, now: source.now };
      const { files, last } = await listUnconfirmedFiles(source.database.reader, source.id, since, options);
      return { names: namesOf(files), last };
    };
    const first = await list(0, 2);
    expect(first.names).toEqual(['a', 'c']);
    const second = await list(first.last ?? 0, 2);
    expect(second.names).toEqual(['d']);
    expect(await list(second.last ?? 0, 2)).toEqual({ names: [], last: undefined });
    expect((await list(0, 9, true)).names).toEqual(['a']);
    await state('d', { access: 'open' });
    expect((await list(0, 9)).names).toEqual(['a', 'c']);
  });
});
