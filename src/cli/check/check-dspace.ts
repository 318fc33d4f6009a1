import type { Bridge } from '../../bridge/bridge.ts';
import { identifyRequest, lookAt } from '../../bridge/finding/endpoint-look.ts';
import { oaiBeside } from '../../bridge/finding/usual-places.ts';
import { upstreamOai } from '../../core/config/oai-schema.ts';
import { isDspace, oaiFormats } from '../../core/config/published-formats.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { checkLinksets } from './check-linksets.ts';
import type { Finding } from './finding.ts';

/**
 * What a source by a DSpace's REST API depends on beside that: its login, its OAI-PMH endpoint, and a second opinion
 * about what is published. To be asked once it has been identified.
 */
export async function* checkDspace(
  bridge: Bridge,
  source: HarvestSource,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  if (!isDspace(source.config)) return;
  const base = apiBase(source);
  const login = describeLogin(source.config);
  if (login !== undefined) yield { check: `login of ${source.name}`, ok: true, message: login };
  yield await checkOai(bridge, source, base, signal);
  if (source.config.adapter === 'dspace') yield* checkLinksets(bridge, source, base, signal);
}

/** Where identifying it has found its REST API, without a slash at the end. */
function apiBase({ config, lessons }: HarvestSource): string {
  return lessons.get('rest-base') ?? config.url.replace(/[?#].*$/s, '').replace(/\/+$/, '');
}

/** Identifying a DSpace logs in already: who is refused does not come here. */
function describeLogin({ adapter, login }: HarvestSource['config']): string | undefined {
  if (login === undefined) return undefined;
  return adapter === 'dspace'
    ? `${login.user} can log in; used for version histories only`
    : 'not used: DSpace 5 and 6 keep no versions';
}

/** Only one that is configured, or that formats come from, has to be there. */
async function checkOai(
  bridge: Bridge,
  { name, config }: HarvestSource,
  base: string,
  signal: AbortSignal,
): Promise<Finding> {
  const check = `OAI-PMH of ${name}`;
  const oai = upstreamOai(config.oai);
  if (oai === false) return { check, ok: true, message: 'not used, as configured' };
  const places = oai === undefined ? oaiBeside(base) : [oai];
  const failures: string[] = [];
  for (const place of places) {
    try {
      const { http } = bridge.fileWork(name);
      const options = { accept: 'any', isGuess: true, deadline: 20_000, signal } as const;
      const { answer } = await lookAt(http, identifyRequest(place), options);
      if (answer.kind === 'oai-pmh') return { check, ok: true, message: `it is at ${place}` };
      failures.push(`${place}: ${answer.kind === 'none' ? answer.what : 'something else'}`);
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      failures.push(`${place}: ${describeError(error)}`);
    }
  }
  const isNeeded = oai !== undefined || oaiFormats(config) !== undefined;
  const cost = config.adapter === 'dspace-legacy' ? '; every harvest has to read everything' : '';
  const message = `there is none (${failures.join('; ')})${cost}`;
  return isNeeded
    ? { check, ok: false, message, exitCode: exitCodes.upstream, mend: `sources: { ${name}: { oai: URL } }` }
    : { check, ok: true, message };
}
