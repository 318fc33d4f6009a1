import { beforeEach, expect, test } from 'vitest';
import {
  findLogLine,
  lastLogLine,
  listLog,
  type NewLogLine,
  pruneLog,
  writeLog,
} from '../../../src/store/presence/log-lines.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const line = (given: Partial<NewLogLine> = {}): NewLogLine => ({
  at: '2026-11-23T10:00:00.123Z',
  level: 'info',
  source: undefined,
  run: undefined,
  process: 'work 7 at host',
  message: 'harvest ended',
  fields: undefined,
  ...given,
});

describeOnBoth('the log that is kept', (open) => {
  beforeEach(() => open().database.writer('log_line').delete());

  const write = (...lines: readonly NewLogLine[]) =>
    open().database.transaction((trx) => writeLog(trx, lines));
  const messages = async (filter: Parameters<typeof listLog>[1], limit = 50) =>
    (await listLog(open().database.reader, filter, { limit })).map(({ message }) => message);

  test('is read as it was written, the newest first, page by page, and behind a line in order', async () => {
    const full = line({ source: 'kyushu', run: 7, level: 'warn', fields: { code: 'x', 題名: '雪\0' } });
    await write(line({ message: 'first' }), full, line({ message: 'third' }));
    const { reader } = open().database;
    const [third, second, first] = await listLog(reader, {}, { limit: 9 });
    expect([third?.message, first?.message]).toEqual(['third', 'first']);
    expect(second).toEqual({ id: second?.id, ...full });
    expect(await findLogLine(reader, second?.id ?? 0)).toEqual(second);
    expect(await findLogLine(reader, 2 ** 31 - 1)).toBeUndefined();
    expect(await lastLogLine(reader)).toBe(third?.id);
    const older = await listLog(reader, {}, { before: third?.id, limit: 1 });
    expect(older.map(({ message }) => message)).toEqual(['harvest ended']);
    const newer = await listLog(reader, {}, { after: first?.id, limit: 9 });
    expect(newer.map(({ id }) => id)).toEqual([second?.id, third?.id]);
  });

  test('has a place for a source of any name, and is found by what stands behind that', async () => {
    await write(line({ source: 'one\0two', fields: { 題名: '雪国' } }));
    expect(await messages({ words: '雪国' })).toEqual(['harvest ended']);
    expect(await messages({ source: 'one\0two' })).toEqual(['harvest ended']);
  });

  test('is filtered by source, level, run, time and words', async () => {
    await write(
      line({ message: 'A of one', source: 'one', level: 'error' }),
      line({ message: 'b of two', source: 'two', level: 'warn', run: 3 }),
      line({ message: 'c', at: '2026-11-23T11:00:00.000Z', fields: { url: 'https://Repo.example/雪_%' } }),
    );
    expect(await messages({ source: 'one' })).toEqual(['A of one']);
    expect(await messages({ level: 'warn' })).toEqual(['b of two', 'A of one']);
    expect(await messages({ level: 'error' })).toEqual(['A of one']);
    expect(await messages({ run: 3 })).toEqual(['b of two']);
    expect(await messages({ since: '2026-11-23T10:30:00Z' })).toEqual(['c']);
    expect(await messages({ words: 'OF a' })).toEqual(['A of one']);
    expect(await messages({ words: 'repo.EXAMPLE' })).toEqual(['c']);
    expect(await messages({ words: '雪_%' })).toEqual(['c']);
    expect(await messages({ words: 'x_%' })).toEqual([]);
    expect(await messages({ words: '\\' })).toEqual([]);
    expect(await messages({ words: '\0' })).toEqual([]);
  });

  test('what is long is cut, and stays readable', async () => {
    await write(
      line({
        message: `a\0${'b'.repeat(5000)}`,
        fields: { stack: '😀'.repeat(5000) },
        source: 'c'.repeat(900),
      }),
    );
    const [cut] = await listLog(open().database.reader, {}, { limit: 1 });
    expect(cut?.message).toBe(`a\ufffd${'b'.repeat(998)}`);
    expect(cut?.source).toHaveLength(200);
    expect(String(cut?.fields?.cut).length).toBeGreaterThan(3800);
    expect(String(cut?.fields?.cut).length).toBeLessThan(4000);
  });

  test('is pruned by age and by number', async () => {
    const { database } = open();
    await write(
      ...Array.from({ length: 30 }, (_, index) =>
        line({ message: `old ${index}`, at: '2026-11-01T00:00:00.000Z' }),
      ),
      ...Array.from({ length: 30 }, (_, index) => line({ message: `new ${index}` })),
    );
    const prune = (kept?: number) =>
      database.transaction((trx) => pruneLog(trx, '2026-11-23T12:00:00Z', kept));
    expect(await prune()).toBe(false);
    expect(await messages({}, 99)).toHaveLength(30);
    expect(await prune(10)).toBe(false);
    expect(await messages({}, 99)).toEqual(Array.from({ length: 10 }, (_, index) => `new ${29 - index}`));
  });
});
