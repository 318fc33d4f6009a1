import { STATUS_CODES } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, errorTable, isBridgeError } from '../../core/errors.ts';
import { UpstreamFileError } from '../../core/files/upstream-files.ts';
import { type Facts, type Reason, type ReasonCode, reasonOf, say } from '../../core/reasons/reason.ts';
import { redact } from '../../core/secrets.ts';
import { translate } from '../../store/engine/storage-error.ts';
import type { ServerDeps } from '../deps.ts';
import { html, type Markup, type Page, type PageDeps, pageHeaders, renderPage } from '../html/html.ts';
import { told } from '../html/told.ts';
import { errorWords } from '../words/errors.ts';
import type { Reader } from '../words/reader.ts';
import { preferredType, varyBy } from './negotiation.ts';
import { readerFor } from './page-reader.ts';
import type { TimeMapLinks } from './time-map-links.ts';

/** The only file that knows statuses. Everything else throws meaning. */

/** What only a request can do wrong; everything else is in `core/errors.ts`. */
export const requestErrors = {
  'method-not-allowed': { status: 405, advice: 'Everything here is read with GET or HEAD.' },
  'precondition-failed': { status: 412, advice: 'Fetch it again without the condition.' },
  'range-not-satisfiable': { status: 416, advice: 'Ask for bytes that are there, or for all of them.' },
  'not-ready': { status: 503, advice: 'Ask for it again in a while, as `Retry-After` says.' },
  'sign-in-needed': {
    status: 401,
    advice:
      'Sign in at /admin, or send `Authorization: Bearer TOKEN`; `rsbridge admin tokens add` makes a token.',
  },
  'token-needed': {
    status: 401,
    advice:
      'Send `Authorization: Bearer TOKEN`, or any user name with the token as its password; whoever runs the bridge has tokens.',
  },
  'not-allowed': { status: 403, advice: 'Ask somebody with the scope `admin` to do it, or for that scope.' },
  'cross-site': { status: 403, advice: 'Do it on the page of the dashboard itself.' },
  'no-password-yet': {
    status: 403,
    advice:
      'Type `rsbridge admin password` on the machine of the bridge, or open there the link that `rsbridge admin link` prints.',
  },
  'link-used': { status: 410, advice: '`rsbridge admin link` prints another one.' },
  'too-many-attempts': { status: 429, advice: 'Wait as long as `Retry-After` says, then try again.' },
  'not-a-partner': {
    status: 403,
    advice:
      'Whoever runs this bridge names the services that may send here, and their addresses (`coarNotify.partners`).',
  },
  'media-type-refused': { status: 415, advice: 'Send JSON-LD, as `Content-Type: application/ld+json`.' },
  conflict: { status: 409, advice: 'Look at it again: it is not as it was.' },
  'key-reused': {
    status: 422,
    advice:
      'Give each request an `Idempotency-Key` of its own, and keep it only where the same is sent again.',
  },
  'key-busy': {
    status: 409,
    advice: 'The same request is being answered: send it again after the seconds of `Retry-After`.',
  },
  'answer-not-kept': {
    status: 409,
    advice:
      'It was done when it was sent first: look at what there is now, and use another key for another request.',
  },
  'uri-too-long': { status: 414, advice: 'Ask for a shorter address: none of ours is so long.' },
} as const;

const statuses: Partial<Record<ErrorCode, number>> = {
  'bad-request': 400,
  usage: 400,
  'sign-in-busy': 503,
  'unknown-item': 404,
  'unknown-resource': 404,
  'not-found': 404,
  'unknown-set': 404,
  'unknown-source': 404,
  'already-withdrawn': 409,
  'not-withdrawn': 409,
  'vanished-changed': 409,
  'source-changed': 412,
  gone: 410,
  'content-damaged': 500,
  // Of a file that is fetched on demand: it is there, in our lists, but not to be had.
  'upstream-file-failed': 502,
  'upstream-file-timeout': 504,
  'upstream-file-busy': 503,
  'file-withheld': 503,
  'search-too-broad': 503,
  'database-unavailable': 503,
  'database-locked': 503,
  'disk-full': 503,
  'objects-unavailable': 503,
  'objects-refused': 503,
  'too-many-files': 503,
  storage: 503,
};

type RefusalCode = keyof typeof requestErrors | 'bad-request' | 'not-found' | 'gone';

/** What there is still to see of something that is gone: the TimeMaps of what it was. */
export interface Trace {
  /** For people. */
  readonly name: string;
  readonly uri: string;
  readonly timeMap: TimeMapLinks;
}

/** A request that gets no representation; the headers go out with the problem. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly traces: readonly Trace[];
  readonly reason: Reason | undefined;

  constructor(
    code: RefusalCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    traces: readonly Trace[] = [],
    reason?: Reason,
  ) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.headers = headers;
    this.traces = traces;
    this.reason = reason;
  }
}

/** A refusal whose sentence is known by a code and its facts, so that a page can tell it in the reader's language. */
export function refuse<Code extends ReasonCode>(
  status: RefusalCode,
  code: Code,
  facts: Facts<Code>,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return new Refusal(status, say(code, facts), headers, [], reasonOf(code, facts));
}

/** RFC 9457, with our stable code and what to do next. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly code: string;
  readonly advice: string;
  /** What the detail tells, where it is known: a code, and its facts by name. */
  readonly reason?: Reason;
}

/** Of the readiness report, which is an answer and not an error. */
export const notReadyStatus = 503;

export function installErrors(app: FastifyInstance, deps: ServerDeps): void {
  app.setErrorHandler((error, request, reply) => sendProblem(deps, error, request, reply));
  app.setNotFoundHandler(() => {
    throw refuse('not-found', 'nothing-here', {});
  });
}

export function sendProblem(
  deps: PageDeps & Pick<ServerDeps, 'pages'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = isReplaced(thrown) ? replaced() : translate(thrown);
  const problem = toProblem(error);
  // Once is a race; always, that somebody has removed what is published.
  if (error !== thrown && isReplaced(thrown))
    request.log.warn({ err: thrown, code: problem.code }, 'a published file is gone');
  const traces = error instanceof Refusal ? error.traces : [];
  logFailure(request, error, problem);
  forgetRepresentation(reply);
  reply.headers(kept.get(reply) ?? {});
  if (error instanceof Refusal) reply.headers(error.headers);
  const seconds = error instanceof UpstreamFileError ? error.retryAfterSeconds : undefined;
  const own = error instanceof Refusal ? error.headers['retry-after'] : undefined;
  if (problem.status === 503 || seconds !== undefined)
    reply.header('retry-after', own ?? String(seconds ?? 10));
  reply.code(problem.status).header('cache-control', 'no-cache');
  varyBy(reply, 'Accept');
  if (preferredType(request.headers.accept, ['application/problem+json', 'text/html']) === 'text/html') {
    const reader = readerFor(deps, request, reply);
    const page = problemPage(problem, traces, reader);
    return reply.headers(pageHeaders(page)).send(renderPage(deps, page, reader));
  }
  const traced = traces.length > 0 ? { traces } : {};
  const body = JSON.stringify({ type: 'about:blank', ...problem, ...traced }, null, 2);
  // As bytes: Fastify adds a charset to a string, which this media type does not have.
  return reply.type('application/problem+json').send(Buffer.from(`${body}\n`));
}

/** What is told in English alone is so marked. */
function problemPage(problem: Problem, traces: readonly Trace[], reader: Reader): Page {
  const { status, detail = '', code, reason } = problem;
  const { titles, advice: advices } = errorWords[reader.language];
  const [title, advice] = [titles[status] ?? problem.title, advices[code]];
  const inEnglish = reader.language !== 'en' && html` lang="en"`;
  const body = html`<h1>${title}</h1>${detail !== '' && html`<p>${told({ message: detail, reason }, reader.language)}</p>`}<p><span${advice === undefined && inEnglish}>${advice ?? problem.advice}</span> <span class="soft mono">${code}</span></p>${traceList(traces, reader)}`;
  return { title, body };
}

function traceList(traces: readonly Trace[], { language }: Reader): Markup | undefined {
  if (traces.length === 0) return undefined;
  return html`<h2>${errorWords[language].versionHistory}</h2>
<ul>${traces.map(({ name, timeMap }) => html`<li><a href="${timeMap.html}">${name}</a></li>`)}</ul>`;
}

const kept = new WeakMap<FastifyReply, Readonly<Record<string, string>>>();

/** Headers that hold whatever becomes of the answer: where else a client can go on. */
export function keepHeaders(reply: FastifyReply, headers: Readonly<Record<string, string>>): void {
  kept.set(reply, headers);
}

/** What a repository does not hand out is no fault of ours, and may happen a thousand times a day. */
function logFailure(request: FastifyRequest, error: unknown, { status, code }: Problem): void {
  if (status < 500) return;
  if (error instanceof Refusal) request.log.debug({ code }, 'not ready yet');
  else if (error instanceof UpstreamFileError) request.log.debug({ code, err: error }, 'file not to be had');
  else request.log.error({ err: error, code }, 'request failed');
}

/** A document that was found, and whose file gave way to the next before it was opened: the next request finds that. */
export function isReplaced(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  return code === 'ENOENT' && syscall === 'open';
}

function replaced(): Refusal {
  return new Refusal('not-ready', 'it was replaced while it was read', { 'retry-after': '1' });
}

function toProblem(error: unknown): Problem {
  if (error instanceof Refusal) {
    const { code, message } = error;
    const known = code in requestErrors ? requestErrors[code as keyof typeof requestErrors] : undefined;
    if (known) return describe(known.status, code, known.advice, message, error.reason);
    return describe(
      statuses[code as ErrorCode] ?? 500,
      code,
      errorTable[code as ErrorCode],
      message,
      error.reason,
    );
  }
  if (isBridgeError(error)) {
    const status = statuses[error.code];
    // What was not thrown with a reader in mind may name hosts and files.
    if (status === undefined) return describe(500, error.code, error.advice);
    return describe(status, error.code, error.advice, error.message, error.reason);
  }
  const { statusCode, message } = (error ?? {}) as { statusCode?: unknown; message?: string };
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    const code = statusCode === 404 ? 'not-found' : statusCode === 414 ? 'uri-too-long' : 'bad-request';
    const advice = code === 'uri-too-long' ? requestErrors[code].advice : errorTable[code];
    return describe(statusCode, code, advice, message);
  }
  return describe(500, 'internal', errorTable.internal);
}

function describe(status: number, code: string, advice: string, detail?: string, reason?: Reason): Problem {
  const title = STATUS_CODES[status] ?? 'Error';
  return {
    ...{ title, status, ...(detail === undefined ? {} : { detail: redact(detail) }), code, advice },
    ...(reason === undefined ? {} : { reason: withoutSecrets(reason) }),
  };
}

function withoutSecrets({ code, facts }: Reason): Reason {
  const told = Object.entries(facts).map(([name, fact]) => [name, redact(String(fact))]);
  return { code, facts: Object.fromEntries(told) } as Reason;
}

/** What was said of a representation before it failed must not be said of the problem. */
export function forgetRepresentation(reply: FastifyReply): void {
  for (const name of [
    'accept-ranges',
    'cache-control',
    'content-disposition',
    'content-encoding',
    'content-length',
    'content-location',
    'content-range',
    'etag',
    'last-modified',
    'link',
    'location',
    'memento-datetime',
    'repr-digest',
  ]) {
    reply.removeHeader(name);
    // A stream that fails at once has its headers set on the socket's side already.
    if (!reply.raw.headersSent) reply.raw.removeHeader(name);
  }
}

/** Of bytes that are no request: nothing of them is repeated. */
export function unreadable(status: number): Problem {
  return describe(status, 'bad-request', errorTable['bad-request']);
}
