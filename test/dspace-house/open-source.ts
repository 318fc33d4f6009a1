import { createAdapter } from '../../adapters/index.ts';
import { adapterSettings, httpSettings, oaiSettings } from '../../src/cli/bridge.ts';
import type { AdapterContext, Clock } from '../../src/core/adapter.ts';
import { parseConfig } from '../../src/core/config.ts';
import { createFileChecker } from '../../src/harvest/files/file-checker.ts';
import { createHostGate } from '../../src/harvest/host-gate.ts';
import { createHttp } from '../../src/harvest/http.ts';
import { createLessonBook } from '../../src/harvest/lessons.ts';
import type { Database } from '../../src/store/database.ts';
import { anyIdentifier } from '../../src/store/items.ts';
import { type OpenSource, silent } from '../hostile/open-source.ts';

/** A configured source as `rsbridge` puts it together, with its OAI-PMH companion, but on a clock of ours. */
export function openSource(
  name: string,
  settings: Record<string, unknown>,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): OpenSource {
  const config = parseConfig({ contact: 'ops@example.org', sources: { [name]: settings } });
  const configured = config.sources[name];
  if (configured === undefined) throw new Error('the source is not in its own configuration');
  const gate = createHostGate();
  const deps = { gate, clock, log: silent };
  const http = createHttp(httpSettings(configured, config), deps);
  const found = createHttp({ ...httpSettings(configured, config), scope: 'found', headers: undefined }, deps);
  const lessons = createLessonBook(clock);
  const alone = { http, log: silent, clock, lessons };
  const context: AdapterContext = {
    ...alone,
    oaiAt: (url) => createAdapter('oai-pmh', oaiSettings(configured, url), alone),
    knownIdentifier: () => anyIdentifier(database.reader, name),
  };
  const adapter = createAdapter(configured.adapter, adapterSettings(configured), context);
  const { requestsPerHost, files } = configured;
  const rules = { recheckDays: files.recheckDays, requestsPerHost };
  const fileCheck = createFileChecker({ http: found, gate, clock }, rules);
  const close = async () => {
    await Promise.all([http.close(), found.close()]);
  };
  return { name, config: configured, adapter, lessons, fileCheck, found, gate, close };
}
