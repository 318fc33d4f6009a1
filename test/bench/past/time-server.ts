import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { openPublication } from '../../../src/publish/published/publication.ts';
import { createApp } from '../../../src/server/app.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { baseUrl } from './time-plan.ts';

/** The server over a seeded database, in a process of its own: `time-server FILE DIRECTORY` prints its port. */
const [file = '', directory = ''] = process.argv.slice(2);
const database = openDatabase({ client: 'sqlite', file });
const app = createApp({
  ...{ database, directory, baseUrl, clock: systemClock, publication: openPublication(directory) },
  fileMode: () => 'none',
  mementosOf: () => ({ links: 'metadata', keep: 'all', ofDeleted: true }),
  title: 'Bench',
  version: '1.0.0',
  robots: false,
  log: pino({ level: 'error' }),
  setsOf: (source) => resourceSets(source),
  sources: async () => [],
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`);
process.once('SIGTERM', async () => {
  await app.close();
  await database.close();
});
