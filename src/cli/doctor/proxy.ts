import type { Config } from '../../core/config/config.ts';
import { describeError } from '../../core/errors.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import { checkDiscovery } from './discovery.ts';
import { type OutsideAnswer, type OutsideView, unknownName } from './outside-answer.ts';

/** Below this, compressing costs more than it saves: ours are not, either. */
const worthCompressing = 2048;
const settings = 'deploy/README.md has settings for nginx, Caddy and Apache';

/**
 * What whoever stands between us and the world does to our answers, seen by fetching the public address. Yields what it found; the
 * first answer tells the time of the public address.
 */
export async function* checkProxy(
  config: Pick<Config, 'baseUrl' | 'listen' | 'role' | 'sources' | 'sets'>,
  outside: OutsideView,
  { hasAccounts, isElsewhere }: { readonly hasAccounts: boolean; readonly isElsewhere: boolean },
): AsyncGenerator<Diagnosis, OutsideAnswer | undefined> {
  const { baseUrl, listen, role } = config;
  let live: OutsideAnswer;
  try {
    live = await outside.ask(`${baseUrl}/livez`);
  } catch (error) {
    const mend =
      role === 'work'
        ? 'rsbridge serve --role web'
        : 'rsbridge healthcheck (if that is well: what passes requests on)';
    yield unreachable(`does not answer: ${describeError(error)}`, mend, baseUrl);
    return undefined;
  }
  if (live.status !== 200 || live.text.trim() !== 'ok') {
    const { location } = live.headers;
    const elsewhere = location === undefined ? '' : `, and leads to ${location}`;
    yield unreachable(
      `/livez is answered with ${live.status}${elsewhere}, and not by rsbridge`,
      location === undefined
        ? `rsbridge healthcheck; then pass ${baseUrl}/ on to port ${listen.port} (${settings})`
        : `baseUrl: ${new URL(location, baseUrl).href.replace(/\/livez$/, '')}`,
      baseUrl,
    );
    return live;
  }
  yield { check: 'public address', severity: 'ok', message: `${baseUrl} is answered by rsbridge` };
  const description = `${baseUrl}/.well-known/resourcesync`;
  yield* await checkDiscovery(config, outside, settings);
  yield* await checkNotFound(baseUrl, outside);
  const first = await outside.ask(description, {
    headers: { accept: 'application/xml', 'accept-encoding': 'gzip' },
  });
  if (first.status === 200) {
    yield* await checkValidator(description, first, outside);
    yield* await checkRange(description, outside);
    yield* await checkHead(description, outside);
  }
  if (!hasAccounts && isElsewhere) yield* await checkForwarded(baseUrl, outside);
  return live;
}

function unreachable(what: string, mend: string, baseUrl: string): Diagnosis {
  return { check: 'public address', severity: 'error', message: `${baseUrl} ${what}`, mend };
}

/** One that looks as ours do, and one with a slash that is data: some refuse that by themselves. */
async function checkNotFound(baseUrl: string, outside: OutsideView): Promise<readonly Diagnosis[]> {
  const faults: string[] = [];
  for (const path of [unknownName(), `${unknownName()}%2Fa%3Ab`]) {
    const { status, headers } = await outside.ask(`${baseUrl}/${path}`, {
      headers: { accept: 'application/json' },
    });
    const isOurs = headers['content-type']?.startsWith('application/problem+json');
    if (status !== 404 || !isOurs) {
      const type = headers['content-type'] ?? 'nothing';
      faults.push(`/${path} is answered with ${status} and ${type}`);
    }
  }
  return diagnose(
    'what is not there',
    [
      faults.length > 0 && {
        severity: 'warning',
        message: `${faults.join('; ')}, and not with our 404: clients cannot tell what was deleted from what fails`,
        mend: `nginx: proxy_intercept_errors off; Apache: ProxyErrorOverride Off, AllowEncodedSlashes NoDecode (${settings})`,
      },
    ],
    'a 404 comes through as we say it',
  );
}

async function checkValidator(
  url: string,
  first: OutsideAnswer,
  outside: OutsideView,
): Promise<readonly Diagnosis[]> {
  const { etag } = first.headers;
  const again =
    etag === undefined
      ? undefined
      : await outside.ask(url, {
          headers: { accept: 'application/xml', 'accept-encoding': 'gzip', 'if-none-match': etag },
        });
  const isCompressed = first.headers['content-encoding'] === 'gzip';
  return diagnose(
    'validators',
    [
      etag === undefined && {
        severity: 'warning',
        message: 'no ETag comes through: clients read every document again and again',
        mend: `nginx: gzip off, proxy_pass_header ETag; Apache: no SetOutputFilter DEFLATE (${settings})`,
      },
      etag?.startsWith('W/') && {
        severity: 'warning',
        message: `the ETag comes through weakened (${etag}): what passes requests on compresses for itself, and parts cannot be asked for`,
        mend: `nginx: gzip off; Apache: no SetOutputFilter DEFLATE; we compress (${settings})`,
      },
      again !== undefined &&
        again.status !== 304 && {
          severity: 'warning',
          message: `If-None-Match with the ETag that was given is answered with ${again.status}, and not with 304`,
          mend: `pass the headers of requests on as they are (${settings})`,
        },
      !isCompressed &&
        first.bytes > worthCompressing && {
          severity: 'note',
          message: 'answers come uncompressed to those who take gzip: Accept-Encoding is not passed on',
          mend: `nginx: proxy_set_header Accept-Encoding $http_accept_encoding (${settings})`,
        },
    ],
    `ETag and If-None-Match come through${isCompressed ? ', and gzip' : ''}`,
  );
}

async function checkRange(url: string, outside: OutsideView): Promise<readonly Diagnosis[]> {
  const headers = { accept: 'application/xml', 'accept-encoding': 'identity', range: 'bytes=0-9' };
  const { status, bytes } = await outside.ask(url, { headers });
  return diagnose(
    'ranges',
    [
      (status !== 206 || bytes !== 10) && {
        severity: 'warning',
        message: `a part that is asked for (Range) is answered with ${status} and ${bytes} octets: downloads that broke off begin anew`,
        mend: `nginx: proxy_force_ranges on, or no proxy_cache for large files (${settings})`,
      },
    ],
    'parts can be asked for',
  );
}

async function checkHead(url: string, outside: OutsideView): Promise<readonly Diagnosis[]> {
  const headers = { accept: 'application/xml', 'accept-encoding': 'identity' };
  const [got, head] = [
    await outside.ask(url, { headers }),
    await outside.ask(url, { method: 'HEAD', headers }),
  ];
  const lost = ['etag', 'content-type', 'content-length', 'last-modified', 'link'].filter(
    (name) => got.headers[name] !== undefined && head.headers[name] !== got.headers[name],
  );
  return diagnose(
    'HEAD',
    [
      (head.status !== 200 || lost.length > 0) && {
        severity: 'warning',
        message: `HEAD is answered with ${head.status}${lost.length > 0 ? ` and without ${lost.join(', ')} as GET has it` : ''}: clients ask so whether a file has changed`,
        mend: `nginx: no limit_except GET, proxy_cache_convert_head off (${settings})`,
      },
    ],
    'is answered as GET',
  );
}

/** As long as there is no password, the dashboard lets this machine in, and knows others by `X-Forwarded-For`. */
async function checkForwarded(baseUrl: string, outside: OutsideView): Promise<readonly Diagnosis[]> {
  const { text, status } = await outside.ask(`${baseUrl}/admin`, { headers: { accept: 'application/json' } });
  return diagnose(
    'X-Forwarded-For',
    [
      status < 400 &&
        !text.includes('no-password-yet') && {
          severity: 'error',
          message: `who asks ${baseUrl}/admin is taken for this machine itself: whoever finds the link of the first start may set the password, and all clients count as one`,
          mend: `nginx: proxy_set_header X-Forwarded-For $remote_addr (${settings}); rsbridge admin password`,
        },
    ],
    'comes through',
  );
}
