import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { type MailServer, openMailServer } from '../../house/alerts/receivers.ts';
import { rsbridge } from '../../house/cli/processes.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

/** Processes as people start them, at one database and one mail server; one is killed when its message has arrived. */
describe.each(['sqlite', 'pg'] as const)('alerts of several processes on %s', (kind) => {
  let own: ReturnType<typeof migratedSqlite>;
  let mails: MailServer;
  let directory: string;
  const running: ReturnType<typeof rsbridge>[] = [];

  beforeAll(async () => {
    own = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    mails = await openMailServer();
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-alerts-'));
    writeFileSync(join(directory, 'stamp'), '');
    const mail = { host: '127.0.0.1', port: mails.port, security: 'none', from: 'bridge@example.org' };
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({
        ...{ database: own.config, role: 'work', listen: { health: false } },
        sources: { quiet: { url: 'http://127.0.0.1:1/oai', schedule: false, fullPass: false } },
        mail: { ...mail, allowPrivateAddresses: true },
        alerts: {
          ...{ to: 'ops@example.org', everySeconds: 1, groupMinutes: 0, pauseMinutes: 0, holdMinutes: 0 },
          ...{ diskFree: 0, backupStamp: 'stamp', backupDays: 8 },
        },
      }),
    );
  });
  afterEach(async () => {
    for (const { child, finished } of running.splice(0)) {
      child.kill('SIGTERM');
      await finished;
    }
  });
  afterAll(async () => {
    await mails?.close();
    await own?.drop();
    if (directory) rmSync(directory, { recursive: true, force: true });
  });

  const start = () => {
    const started = rsbridge(['serve'], directory);
    running.push(started);
    return started;
  };
  const age = (days: number) => {
    const moment = Date.now() / 1000 - days * 86_400;
    utimesSync(join(directory, 'stamp'), moment, moment);
  };
  const ids = () => mails.mails.map(({ headers }) => headers.get('message-id'));

  test('each is sent once, and one whose sender was killed once more, by its own id', async () => {
    age(20);
    mails.isSilent = true;
    const first = start();
    await vi.waitFor(() => expect(mails.unanswered).toBe(1), { timeout: 60_000, interval: 50 });
    first.child.kill('SIGKILL');
    await first.finished;
    running.length = 0;
    mails.isSilent = false;

    // Two that start beside each other find the message of one that is gone.
    start();
    start();
    await vi.waitFor(() => expect(mails.mails.length).toBe(2), { timeout: 60_000, interval: 50 });
    expect(new Set(ids()).size).toBe(1);

    // Both look each second, and both would send: what is new is told by one of them.
    age(0);
    await vi.waitFor(() => expect(mails.mails.length).toBe(3), { timeout: 60_000, interval: 50 });
    await pause(4000);
    expect(mails.mails.length).toBe(3);
    expect(new Set(ids()).size).toBe(2);
  });
});
