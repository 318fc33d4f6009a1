import type { AdapterContext, AdapterSettings } from '../../../src/core/adapter.ts';
import { movedAddress } from '../../../src/core/addresses/moved-address.ts';
import { BridgeError, describeError, isBridgeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { readJsonBody, shown } from './json-body.ts';
import { asText, type JsonObject } from './json-value.ts';

/** Where the API is, and what it says of itself. */
export interface Root {
  /** Without slash at the end. */
  readonly base: string;
  readonly json: JsonObject;
  /** Its `Date` header, as it came. */
  readonly date: string | undefined;
  /** As in `RepositoryInfo`. */
  readonly moved: string | false | undefined;
}

/**
 * What every request says: no `Origin`, which is answered with 403 unless it is the repository's own, and always one
 * language, because DSpace 10 and CRIS leave out values in others.
 */
export const restHeaders = {
  accept: 'application/hal+json, application/json;q=0.9',
  'accept-language': 'en',
} as const;

const lesson = 'rest-base';

/** The API is usually at `/server/api`; some hosts have it at `/api`. */
const usualPaths = ['', '/server/api', '/api'];

/**
 * Looks for the root of the REST API at the configured address and where it usually is below that.
 * @throws BridgeError of the transport as it is; `upstream-protocol` when nothing there is a DSpace 7 or later
 */
export async function findRoot(
  { url }: Pick<AdapterSettings, 'url'>,
  { http, lessons }: Pick<AdapterContext, 'http' | 'lessons'>,
  signal: AbortSignal,
): Promise<Root> {
  const configured = url.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const learnt = lessons.get(lesson);
  const isLearnt = learnt !== undefined && isBelow(learnt, configured);
  const usual = usualPaths.map((path) => configured + path);
  const candidates = isLearnt ? [learnt, ...usual.filter((base) => base !== learnt)] : usual;
  const failures: unknown[] = [];
  for (const base of candidates) {
    try {
      const root = await readRoot(base, http, signal);
      // Where it has moved to on the same host is asked at once.
      const moved = usual.includes(base) ? root.moved : undefined;
      if (root.base !== configured) {
        lessons.learn(lesson, root.base, say('rest-api-at', { url: root.base }));
      } else {
        lessons.forget(lesson);
      }
      return { ...root, moved };
    } catch (error) {
      signal.throwIfAborted();
      if (!isBridgeError(error) || !speaksOfPath(error)) throw error;
      failures.push(error);
    }
  }
  // Who was sure of the address is told what is wrong there; who pasted one, what was tried.
  if (isLearnt || /\/api$/.test(configured)) throw failures[0];
  throw new BridgeError(
    'upstream-protocol',
    `no REST API of a DSpace 7 or later answers at ${candidates.join(', ')}: ${failures.map(describeError).join('; ')}`,
    { retryable: failures.some((error) => isBridgeError(error) && error.retryable) },
  );
}

async function readRoot(base: string, http: AdapterContext['http'], signal: AbortSignal): Promise<Root> {
  const response = await http.get(base, {
    signal,
    headers: restHeaders,
    deadline: 60_000,
    maxBytes: 1024 * 1024,
  });
  const { url: answeredAt, movedTo } = response;
  const json = await readJsonBody(response);
  if (json === undefined || (json.type !== 'root' && asText(json.dspaceVersion) === undefined)) {
    throw new BridgeError('upstream-protocol', `${base} is no REST API of a DSpace 7 or later`);
  }
  const moved = movedTo !== undefined && movedAddress(base, movedTo);
  return { base: settled(base, answeredAt), json, date: response.headers.date, moved };
}

/** The address itself, or where it moved on the same host: from http to https, or to another path. */
function settled(asked: string, answered: string): string {
  const [from, to] = [new URL(asked), new URL(answered)];
  const isUpgrade = from.protocol === to.protocol ? from.port === to.port : to.protocol === 'https:';
  return from.hostname === to.hostname && isUpgrade ? shown(answered).replace(/\/+$/, '') : asked;
}

/** Another address may answer better; a host that cannot be reached has no other. */
function speaksOfPath({ code }: BridgeError): boolean {
  return ['upstream-status', 'upstream-html', 'upstream-not-json', 'upstream-protocol'].includes(code);
}

/** What was learnt with another address configured is of no use. */
function isBelow(learnt: string, configured: string): boolean {
  try {
    const [there, here] = [new URL(learnt), new URL(configured)];
    return (
      there.hostname === here.hostname &&
      usualPaths.some((path) => there.pathname === here.pathname.replace(/\/+$/, '') + path)
    );
  } catch {
    return false;
  }
}
