import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { metadataPath } from '../../../src/core/uris.ts';
import { createPublisher } from '../../../src/publish/publisher.ts';
import { createListsInTime } from '../../../src/publish/time/lists-in-time.ts';
import { createApp } from '../../../src/server/app.ts';
import type { ServerDeps } from '../../../src/server/deps.ts';
import { createDocumentPasts } from '../../../src/server/past/document-past.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { freePort } from '../process/free-port.ts';
import { LivingSource } from '../publish/living-source.ts';
import { silent } from '../publish/seed.ts';
import { placeMigrated } from '../store/databases.ts';

/** A server on the loopback with a few resources that have a past, for clients of RFC 7089. */
export interface MementoHouse {
  readonly baseUrl: string;
  /** Dated `created`, changed at each full hour from 13 to 15 on the 21st, never deleted. */
  readonly lasting: string;
  /** Has one version only. */
  readonly single: string;
  /** Changed at 13 o'clock, deleted at 14. */
  readonly gone: string;
  /** Deleted at 13 o'clock, there again since 15. */
  readonly returned: string;
  /** The Resource List of all four, which has been another one at each full hour from 12 to 15. */
  readonly list: string;
  close(): Promise<void>;
}

/** As the records of a living source are dated. */
export const created = '2026-01-01T00:00:00Z';
export const hour = (number: number) => `2026-11-21T${number}:00:00Z`;

export async function openMementoHouse(): Promise<MementoHouse> {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-memento-'));
  const database = openDatabase({ client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) });
  const source = await LivingSource.begin(database);
  await live(source);
  // Its harvests were parts of one pass, up to the hour of 12.
  await database.writer('source').where({ name: source.name }).update({ first_pass_seq: 4 });
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}/rs`;
  const { directory: place, clock, publication } = source;
  const publishing = { database, directory: place, baseUrl, clock, log: silent };
  await createPublisher(publishing).publish(source.set('all'), { resourceList: 'always' });
  // Who waits for a list really waits.
  const waiting = { now: () => clock.now(), sleep: systemClock.sleep };
  const listsInTime = createListsInTime({ ...publishing, clock: waiting });
  const sets = () => [source.set('all')];
  const documentPasts = createDocumentPasts({ database, publication, listsInTime, baseUrl, clock, sets });
  const app = serve(database, source, { baseUrl, documentPasts });
  await app.listen({ host: '127.0.0.1', port });
  const uriOf = (identifier: string) => `${baseUrl}/${metadataPath(source.name, identifier, 'oai_dc')}`;
  return {
    baseUrl,
    lasting: uriOf('oai:repo.example.org:2324/1'),
    single: uriOf('oai:repo.example.org:2324/2'),
    gone: uriOf('oai:repo.example.org:2324/3'),
    returned: uriOf('oai:repo.example.org:2324/4'),
    list: `${baseUrl}/${source.name}/resourcelist.xml`,
    close: async () => {
      await app.close();
      await listsInTime.close();
      await database.close();
      await source.end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function live(source: LivingSource): Promise<void> {
  const deliver = (number: number, text: string) =>
    source.deliver(`oai:repo.example.org:2324/${number}`, { text });
  const remove = (number: number) => source.deliver(`oai:repo.example.org:2324/${number}`, { deleted: true });
  for (const number of [1, 2, 3, 4]) await deliver(number, 'the first version');
  source.clock.set(hour(13));
  await deliver(1, 'the second version');
  await deliver(3, 'the second version');
  await remove(4);
  source.clock.set(hour(14));
  await deliver(1, 'the third version');
  await remove(3);
  source.clock.set(hour(15));
  await deliver(1, 'the fourth version');
  await deliver(4, 'the second version');
  source.clock.set(hour(18));
}

function serve(
  database: Database,
  source: LivingSource,
  own: Pick<ServerDeps, 'baseUrl' | 'documentPasts'>,
): FastifyInstance {
  return createApp({
    ...{ database, publication: source.publication, directory: source.directory, ...own },
    fileMode: () => 'none',
    mementosOf: () => ({ links: 'metadata', keep: 'all', ofDeleted: true }),
    title: 'University of Example',
    version: '1.2.3',
    robots: true,
    clock: source.clock,
    log: pino({ level: 'silent' }),
    setsOf: (name) => [source.set('all'), source.set('metadata')].filter((set) => set.source === name),
    sources: async () => [],
  });
}
