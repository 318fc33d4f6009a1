import { createAdapter } from '../../../adapters/index.ts';
import type { Adapter, AdapterContext } from '../../core/adapter.ts';
import type { SourceConfig } from '../../core/config/config.ts';
import { createHttp } from '../../harvest/http/http.ts';
import { createLessonBook } from '../../harvest/lessons.ts';
import type { KeptSource } from '../../store/sources/kept-sources.ts';
import { adapterSettings, type Bridge, httpSettings, oaiSettings } from '../bridge.ts';
import { parseKept } from '../config/kept-config.ts';
import { createLog } from '../log.ts';

/** Somebody waits: a host that is busy is asked twice, and not for long. */
const patience = { busyAttempts: 2, connectAttempts: 2, firstWaitMs: 2000, longestWaitMs: 10_000 };
const mostSeconds = 60;
const mostBytes = 64 * 1024 * 1024;

/**
 * Reads a source that there is not yet, as a harvest of it would: by its settings, within the same limits of where it may
 * ask, in turn with the harvests of all processes. What it learns is forgotten.
 * @throws BridgeError `config-invalid`, and whatever `use` throws
 */
export async function withTriedSource<Result>(
  bridge: Pick<Bridge, 'config' | 'clock' | 'gateOf'>,
  source: KeptSource,
  use: (adapter: Adapter) => Promise<Result>,
): Promise<Result> {
  return withSettings(bridge, parseKept([source], bridge.config)[source.name] as SourceConfig, {}, use);
}

/** The same of one that there is, by settings that it need not have. */
export async function withSettings<Result>(
  { config, clock, gateOf }: Pick<Bridge, 'config' | 'clock' | 'gateOf'>,
  settings: SourceConfig,
  known: Pick<AdapterContext, 'knownIdentifier'>,
  use: (adapter: Adapter) => Promise<Result>,
): Promise<Result> {
  const log = createLog('silent', process.stderr);
  const usual = httpSettings(settings, config);
  const http = createHttp(
    {
      ...usual,
      timeoutSeconds: Math.min(usual.timeoutSeconds, mostSeconds),
      maxResponseBytes: Math.min(usual.maxResponseBytes, mostBytes),
      patience,
    },
    { gate: gateOf(settings), clock, log },
  );
  try {
    const alone = { http, log, clock, lessons: createLessonBook(clock), baseUrl: config.baseUrl };
    const oaiAt = (url: string) => createAdapter('oai-pmh', oaiSettings(settings, url), alone);
    return await use(
      createAdapter(settings.adapter, adapterSettings(settings), { ...alone, ...known, oaiAt }),
    );
  } finally {
    await http.close();
  }
}
