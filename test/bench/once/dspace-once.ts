import { openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import { identifierPass } from '../../../src/harvest/identifiers/identifier-pass.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { peakRss, print } from './processes.ts';

/**
 * `dspace-once.ts URL DATABASE_FILE incremental|full|identifiers`: one run over a DSpace with the usual settings, in a
 * fresh process. The first one is full, whatever is asked for.
 */
const [url = '', file = '', mode = 'incremental'] = process.argv.slice(2);
const config = parseConfig({
  database: { client: 'sqlite', file },
  sources: { bench: { adapter: 'dspace', url } },
});
const bridge = await openBridge(config, createLog('warn', process.stderr), 'migrate');
const source = bridge.source('bench');
const never = new AbortController().signal;
const options = { stop: never, signal: never };
const startedAt = performance.now();
const report =
  mode === 'identifiers'
    ? await identifierPass(bridge, source, options)
    : await harvest(bridge, source, { ...options, mode: mode === 'full' ? 'full' : 'incremental' });
const seconds = (performance.now() - startedAt) / 1000;
if ('skipped' in report) throw new Error(`nothing was done: ${report.skipped}`);
const { user, system } = process.cpuUsage();
print({
  mode: report.mode,
  pages: report.pages,
  items: report.items,
  created: report.created,
  updated: report.updated,
  deleted: report.deleted,
  problems: report.problems,
  journal: (await readJournal(bridge.database.reader, 'bench'))?.seq,
  seconds: Number(seconds.toFixed(3)),
  cpuSeconds: Number(((user + system) / 1e6).toFixed(1)),
  peakRssMB: peakRss(),
});
await bridge.close();
