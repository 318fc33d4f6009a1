import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogKeeper } from '../../../src/bridge/presence/log-keeper.ts';
import { type Presence, startPresence } from '../../../src/bridge/presence/presence.ts';
import { openSqliteFile } from '../../../src/store/drivers/sqlite-driver.ts';
import { listLog } from '../../../src/store/presence/log-lines.ts';
import { listProcesses } from '../../../src/store/presence/processes.ts';
import { listUnderWay } from '../../../src/store/presence/under-way.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const line = (msg: string) => JSON.stringify({ level: 40, time: new Date().toISOString(), msg });

describeOnBoth('a process that tells of itself', (open) => {
  let presence: Presence;
  const log = createLogKeeper();

  beforeEach(() => {
    presence = startPresence({ database: open().database, log, requestsOf: () => 3 });
  });
  afterEach(() => presence.close());

  test('is seen by others, with what it is at and what it logs, until it leaves', async () => {
    const { database } = open();
    presence.setRole('work');
    const work = presence.begin({ kind: 'harvest', source: 'kyushu' });
    work.tell({ phase: 'reading', done: 12, run: 7 });
    log.take(line('first'));
    await vi.waitFor(
      async () => expect(await listUnderWay(database.reader, 'kyushu')).toHaveLength(1),
      60_000,
    );
    expect(await listProcesses(database.reader)).toMatchObject([{ role: 'work', pid: process.pid }]);
    expect(await listUnderWay(database.reader)).toMatchObject([{ done: 12, run: 7, requests: 0 }]);
    work.end();
    await vi.waitFor(async () => expect(await listUnderWay(database.reader)).toEqual([]), 60_000);
    log.take(line('last words'));
    await presence.close();
    expect(await listProcesses(database.reader)).toEqual([]);
    const lines = await listLog(database.reader, {}, { limit: 9 });
    expect(lines.map(({ message }) => message)).toEqual(['last words', 'first']);
    expect(lines[0]?.process).toMatch(/^work \d+ \S+$/);
  });
});

describeOnBoth('a process whose database is held', (open) => {
  test('waits for nobody: it goes on at once, and tells later', async () => {
    const { database, config } = open();
    if (config.client !== 'sqlite') return;
    const log = createLogKeeper();
    const presence = startPresence({ database, log, requestsOf: () => undefined });
    const other = openSqliteFile(config.file);
    other.exec('begin immediate');
    await expect(database.offhand((trx) => trx('log_line').delete())).rejects.toMatchObject({
      code: 'database-locked',
    });
    log.take(line('while it was held'));
    // Several looks come and go, and none of them holds this process up.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await listLog(database.reader, {}, { limit: 9 })).toEqual([]);
    other.exec('commit');
    other.close();
    await vi.waitFor(
      async () =>
        expect(await listLog(database.reader, {}, { limit: 9 })).toMatchObject([
          { message: 'while it was held' },
        ]),
      60_000,
    );
    // Whoever has time waits as before.
    expect(await database.writer.raw('pragma busy_timeout')).toEqual([{ timeout: 15_000 }]);
    await presence.close();
  });
});
