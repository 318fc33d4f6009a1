import { tokensOf } from '../../core/access/access-schema.ts';
import type { Config } from '../../core/config/config.ts';
import { upstreamOai } from '../../core/config/oai-schema.ts';

/** A value that was not written into the configuration file, and where it went. */
export interface BroughtIn {
  readonly path: readonly string[];
  readonly value: string;
  /** What the file says instead: `${VARIABLE}`, or the path of another one. */
  readonly through?: string;
}

/**
 * What of a configuration is secret: every header, password and token, and what came from the environment or another
 * file into the address of a source, unless that is its host, which everybody sees who looks at the network. Other
 * settings are shown to everybody anyway.
 */
export function* secretsOf(config: Config, broughtIn: readonly BroughtIn[]): Generator<string> {
  if (config.adminPassword !== undefined) yield config.adminPassword;
  if (config.database.client === 'pg') {
    const { url, replicaUrl = [] } = config.database;
    for (const address of [url, replicaUrl].flat()) yield* credentialsOf(address);
  }
  yield* secretsOfAlerts(config);
  const { accessKeyId, secretAccessKey, sessionToken } = config.storage.s3 ?? {};
  for (const value of [accessKeyId, secretAccessKey, sessionToken]) if (value !== undefined) yield value;
  for (const [name, source] of Object.entries(config.sources)) {
    for (const value of Object.values(source.headers ?? {}))
      yield* [value, value.replace(/^[A-Za-z]+ +/, '')];
    if (source.login) yield source.login.password;
    if (source.access) yield* tokensOf(source.access);
    const oai = upstreamOai(source.oai);
    const addresses = [source.url, ...(typeof oai === 'string' ? [oai] : [])];
    const brought = broughtIn.filter(({ path }) => path[0] === 'sources' && path[1] === name);
    for (const address of addresses) {
      for (const { value, path } of brought) {
        if (path[2] === 'login') yield value;
        else if (address.includes(value)) yield* secretsWithin(address, value);
      }
    }
  }
}

/** Whoever knows these addresses can write there; a host is no secret. */
function* secretsOfAlerts({ mail, alerts }: Config): Generator<string> {
  if (mail?.password !== undefined) yield mail.password;
  const { webhook, slack, pingUrl } = alerts;
  if (webhook) yield webhook.secret;
  for (const address of [webhook?.url, slack?.url, pingUrl]) {
    if (address === undefined || !URL.canParse(address)) continue;
    const { pathname, searchParams } = new URL(address);
    // A short path is a name; it may stand in other addresses.
    if (pathname.length >= 16) yield pathname.slice(1);
    yield* searchParams.values();
  }
}

/** Of a whole address that was brought in, what it has in its query. */
function* secretsWithin(address: string, value: string): Generator<string> {
  if (value.includes('://')) {
    yield* URL.canParse(value) ? new URL(value).searchParams.values() : [];
    return;
  }
  const host = /^[a-z]+:\/\/([^/?#]*)/i.exec(address)?.[1] ?? '';
  if (!host.includes(value)) yield value;
}

function* credentialsOf(url: string): Generator<string> {
  const password = /^[a-z]+:\/\/[^/@:]*:([^@]*)@/i.exec(url)?.[1] ?? /[?&]password=([^&]*)/.exec(url)?.[1];
  if (password === undefined) return;
  yield password;
  try {
    yield decodeURIComponent(password);
  } catch {
    // It is as it stands.
  }
}
