import { openDatabase } from '../../../src/store/engine/database.ts';
import { followJournal, readFollowed } from '../../../src/store/search/following.ts';
import { peakRss, print } from './processes.ts';

/** `describe-once.ts DATABASE_JSON`: what is harvested there is described, without rests. */
const [given = ''] = process.argv.slice(2);
const database = openDatabase(JSON.parse(given));
const startedAt = performance.now();
const before = process.cpuUsage();
for (;;) {
  const behind = (await readFollowed(database.reader)).find(({ seq, journalSeq }) => seq < journalSeq);
  if (!behind || (await followJournal(database, '/nowhere', behind)) === undefined) break;
}
const { user, system } = process.cpuUsage(before);
const row: { count?: number | string } | undefined = await database
  .reader('description')
  .count({ count: '*' })
  .first();
print({
  described: Number(row?.count ?? 0),
  seconds: Number(((performance.now() - startedAt) / 1000).toFixed(3)),
  cpuSeconds: Number(((user + system) / 1e6).toFixed(2)),
  peakRssMB: peakRss(),
});
await database.close();
