import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { openPublication } from '../../../src/publish/published/publication.ts';
import { createApp } from '../../../src/server/app.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';

/** `oai-server DATABASE_JSON DIRECTORY`: answers OAI-PMH from a seeded database, in a process of its own; prints its port. */
const [settings = '', directory = ''] = process.argv.slice(2);
const database = openDatabase(JSON.parse(settings));
const app = createApp({
  ...{ database, directory, clock: systemClock, publication: openPublication(directory) },
  baseUrl: 'http://bench.example.org',
  fileMode: () => 'none',
  title: 'Bench',
  version: '1.0.0',
  robots: false,
  log: pino({ level: 'error' }),
  setsOf: (source) => resourceSets(source),
  sources: async () => [],
  oai: () => ({ adminEmail: 'admin@bench.example.org', namespace: 'bench.example.org', friends: [] }),
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`);
process.once('SIGTERM', async () => {
  await app.close();
  await database.close();
});
