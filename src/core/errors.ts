import { type Facts, type Reason, type ReasonCode, reasonOf, say } from './reasons/reason.ts';
/**
 * Every error a person may meet, by a stable code. `advice` says what to do next; the sentence about what
 * happened is the error's message. `docs/errors.md` is written from this table.
 */
export const errorTable = {
  'config-invalid': 'Correct the configuration file; `rsbridge check` reads it without changing anything.',
  'config-missing': 'Run `rsbridge init URL` to write a configuration, or name one with --config FILE.',
  usage:
    'Type it as the message says; `rsbridge COMMAND --help` explains the arguments and options of a command.',
  'node-too-old': 'Install Node.js 24 (20.19 is the oldest that works); `node --version` says what is there.',
  'not-built':
    'In a clone run `npm ci` (which builds, unless npm was told to run no scripts), then `npm run build`; an installed package that says so is damaged: install it again.',
  'unknown-source': 'Use one of the sources named in the configuration.',
  'unknown-item':
    'Give the identifier as the repository writes it (`rsbridge problems SOURCE` and the pages of items have it).',
  'source-changed':
    'Look at the settings as they are now (`rsbridge sources show SOURCE`), and change them again.',
  'source-configured': 'Take the source out of the configuration first, then `rsbridge remove SOURCE`.',
  'unknown-set': 'Use one of the sets that `rsbridge status` lists.',
  'unknown-collection':
    'Correct `sets` in the configuration; /SOURCE/about and `rsbridge check` know the collections of a source.',
  'unknown-resource':
    'Give the URI of a resource or of an item (the Resource Lists have them), or what the repository calls the item; for `rsbridge restore`, also the path of a backup.',
  'no-memento':
    '`rsbridge history URI` lists the versions of a resource; `rsbridge status --at DATETIME` what a source held.',
  'already-withdrawn':
    '`rsbridge status` lists what is withdrawn; `rsbridge restore URI` publishes it again.',
  'not-withdrawn': '`rsbridge status` lists what is withdrawn.',
  'search-too-broad': 'Look for more words, or in one source.',
  'port-in-use': 'Stop the other program, or choose another port with --port.',
  'database-newer': 'Use the version of rsbridge that made this database, or a later one.',
  'database-unavailable':
    'Check that the database is running and that `database` in the configuration is right.',
  'sqlite-missing':
    'Use Node.js 24 or another from 22.16 on, which have SQLite; for an older one install the package (`npm install @photostructure/sqlite`).',
  'database-locked':
    'Another process writes to this SQLite file; wait for it or use PostgreSQL for several processes.',
  'too-many-files':
    'Raise the number of files the process may have open: `ulimit -n 4096`, or LimitNOFILE=4096 in the unit of systemd.',
  storage:
    'Damaged: `rsbridge check` says what is; stop what runs and put a backup back (`rsbridge restore FILE`), the repositories have the rest. Not permitted: run rsbridge as the user who owns the data directory, or give it to this one.',
  'backup-refused':
    '`rsbridge backup FILE` writes a backup into a new file (--force replaces one), in a directory that this user may write to; `rsbridge restore FILE` takes such a file.',
  'disk-full': 'Free some space; what was published before is still served, and the next run continues.',
  'objects-unavailable':
    'The object storage does not answer, or is not able to: nothing is lost, and what waits for it goes on when it answers again. `rsbridge check` tries it.',
  'objects-refused':
    'Correct `storage.s3`: the endpoint, the bucket, the region, the credentials and what they allow (read, write, delete and list), or the clock; then `rsbridge check`.',
  'alert-undelivered':
    'Correct `mail` or `alerts` in the configuration: the address, the port, the account; `rsbridge alert test` tries all of them.',
  'lease-held':
    'Another process is working on this source; wait for it, or for its lease to expire. To have a running `rsbridge serve` read it next: `rsbridge harvest SOURCE --by-serve`.',
  'copy-busy':
    'Wait until that process has ended, or end it: what it has done stays, and the next run goes on.',
  'lease-lost':
    'Another process took over this source, or the database is another server now; this run stopped without loss.',
  'upstream-unreachable':
    'Check the address, the network and, with https, the certificate (NODE_EXTRA_CA_CERTS=FILE adds an authority); the next run tries again.',
  'upstream-busy': 'The server asked us to wait more often than we retry; the next run continues.',
  'upstream-cut-off': 'The response ended early; the next run repeats this page.',
  'upstream-too-slow':
    'The server sends almost nothing; ask its operators, or lower `slowestBytesPerSecond` of the source. The next run continues.',
  'upstream-status': 'Look at the address in a browser; the server answered with an HTTP error.',
  'upstream-html':
    'Open the address in a browser: it returns an HTML page (a proxy, a login, a bot check) instead of data.',
  'upstream-not-xml': 'Open the address in a browser: the answer is not well-formed XML.',
  'upstream-not-json': 'Open the address in a browser: the answer is not the JSON that was asked for.',
  'upstream-login-refused':
    'Correct `login` of the source (or remove it: it is needed only where version histories are hidden). What was published stays.',
  'upstream-protocol': 'The answer is not what the protocol asks for; check the address.',
  'upstream-file-failed':
    'The repository does not serve this file now; the lists follow as soon as it has been asked again.',
  'upstream-pages-left':
    'The server of the landing pages fails or asks us to wait: they are read for links to files a day later, and what is published stays. Open one in a browser.',
  'upstream-file-timeout': 'The repository does not answer in time; try again later.',
  'file-withheld':
    'Its repository refuses it, and is asked again: the file comes back, or is deleted, within minutes or when a person has decided (`rsbridge refused SOURCE`).',
  'upstream-file-busy':
    'The repository, or the bridge, has as much to do as it can for now; try again as `Retry-After` says.',
  'upstream-forbidden-doctype': 'The response carries a large DOCTYPE, which is refused for safety.',
  'response-too-large': 'Raise `maxResponseBytes` of the source if such responses are expected.',
  'out-of-memory':
    'The repository is asked for less at a time, and the next run tries again. `workers: 0` reads in the main thread, which may take more memory.',
  'too-many-redirects': 'Use the address that the redirects lead to.',
  'address-refused':
    'To allow this address, name it in `network.allow`; `allowPrivateAddresses: true` on a source allows all.',
  'oai-error': 'The repository refused the request; its own words are in the message.',
  'oai-bad-resumption-token': 'The list will be started again; nothing stored is lost.',
  'oai-token-loop': 'The repository repeats itself; tell its operators. Nothing was deleted.',
  'oai-list-incomplete': 'The list ended abnormally; the next run repeats it. Nothing was deleted.',
  'changes-incomplete':
    'The Source does not tell of every change since the last harvest: everything is compared at once, and nothing is lost.',
  'oai-unknown-format': 'Use one of the formats that the repository offers (`rsbridge check` lists them).',
  'deletions-refused':
    '`rsbridge vanished SOURCE` lists what is missing, since when and why; then `rsbridge harvest SOURCE --accept-deletions RUN`.',
  'vanished-changed':
    'Look at what is missing now (`rsbridge vanished SOURCE`), and accept the run that it names.',
  'publication-busy': 'Another process is publishing into this directory; wait for it.',
  'publication-failed': 'What was published before is still served; see the cause, then `rsbridge publish`.',
  'export-refused': 'Name an empty directory, one that does not exist yet, or that of an earlier export.',
  'content-damaged':
    'A stored payload no longer fits its hash; `rsbridge check --blobs` says which. `rsbridge harvest SOURCE --full` repairs current content; a damaged earlier version is lost, and the versions before and after it are still served.',
  'sign-in-busy': 'Many people sign in, or somebody tries passwords; try again in a moment.',
  'not-found': 'See / for what is served here.',
  gone: 'It was removed: the Link header names what is current, and the Change Lists say what was deleted.',
  'bad-request': 'Correct the request.',
  interrupted: 'Start the command again: it continues where it stopped.',
  internal: 'This is a defect in rsbridge; please report it with the log.',
} as const;

export type ErrorCode = keyof typeof errorTable;

export interface ErrorOptions {
  readonly cause?: unknown;
  /** Whether the same call may succeed later without anybody doing anything. */
  readonly retryable?: boolean;
  /** Whether the upstream was seen to answer for something else, so that it is no outage. */
  readonly concernsItem?: boolean;
  /** What to do next, where that is more than the code knows. */
  readonly advice?: string;
  /** What the message tells, for pages in other languages and for programs. */
  readonly reason?: Reason;
}

/** The one error class: throw meaning; only `server/` knows statuses and only `cli/` knows exit codes. */
export class BridgeError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly concernsItem: boolean;
  readonly reason: Reason | undefined;
  readonly #advice: string | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BridgeError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.concernsItem = options.concernsItem ?? false;
    this.reason = options.reason;
    this.#advice = options.advice;
  }

  /** What to do next. */
  get advice(): string {
    return this.#advice ?? errorTable[this.code];
  }
}

/** An error whose sentence is known by a code and its facts, so that a page can tell it in the reader's language. */
export function refusal<Code extends ReasonCode>(
  error: ErrorCode,
  code: Code,
  facts: Facts<Code>,
  options: ErrorOptions = {},
): BridgeError {
  return new BridgeError(error, say(code, facts), { ...options, reason: reasonOf(code, facts) });
}

export function isBridgeError(error: unknown, code?: ErrorCode): error is BridgeError {
  return error instanceof BridgeError && (code === undefined || error.code === code);
}

/** The message of anything thrown, with the messages of its causes, for people. */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current !== undefined && current !== null && messages.length < 5; ) {
    if (!(current instanceof Error)) {
      messages.push(String(current));
      break;
    }
    const text =
      describeSystemError(current) ??
      describeTlsError(current) ??
      (current.message || codeOf(current) || current.name);
    if (!messages.some((message) => message.includes(text))) messages.push(text);
    current =
      current instanceof AggregateError && current.errors.length > 0 ? current.errors[0] : current.cause;
  }
  return messages.join(': ');
}

/** What the system says of a file, in words. */
const fileTroubles: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no ${path}`,
  EEXIST: (path) => `${path} exists already`,
  EACCES: (path) => `this user may not open ${path}`,
  EPERM: (path) => `this user may not open ${path}`,
  EROFS: (path) => `${path} is on a read-only file system`,
  ENOTDIR: (path) => `a part of the path ${path} is a file, not a directory`,
  EISDIR: (path) => `${path} is a directory, not a file`,
  ELOOP: (path) => `the symbolic links of ${path} lead in a circle`,
  ENOTEMPTY: (path) => `the directory ${path} is not empty`,
  EIO: (path) => `the disk fails at ${path}`,
};

interface Peer {
  readonly hostname?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
}

/** What the system says of a connection, in words; the code is what people search for. */
const networkTroubles: Readonly<Record<string, (peer: Peer) => string | undefined>> = {
  ECONNREFUSED: ({ address, port }) =>
    address === undefined ? undefined : say('no-program-answers', { address: `${address}:${port}` }),
  ENOTFOUND: ({ hostname }) =>
    hostname === undefined ? undefined : say('host-unknown', { host: String(hostname) }),
  EAI_AGAIN: ({ hostname }) =>
    `the name ${hostname ?? 'of the host'} cannot be looked up: no network, or no name server (EAI_AGAIN)`,
  ENETUNREACH: ({ address }) => `no network leads to ${address ?? 'it'} (ENETUNREACH)`,
  EHOSTUNREACH: ({ address }) => `no network leads to ${address ?? 'it'} (EHOSTUNREACH)`,
  ETIMEDOUT: ({ address, port }) =>
    address === undefined ? undefined : `${address}:${port} did not answer in time (ETIMEDOUT)`,
  UND_ERR_CONNECT_TIMEOUT: () => 'no connection could be made in time',
  UND_ERR_HEADERS_TIMEOUT: () => 'accepted the connection and did not answer',
  UND_ERR_BODY_TIMEOUT: () => 'stopped sending in the middle of an answer',
};

/** `there is no X` for `ENOENT: no such file or directory, open 'X'`; undefined for what is neither about a file nor a connection. */
function describeSystemError(error: Error): string | undefined {
  const { path, syscall } = error as { path?: unknown; syscall?: unknown };
  // What is read when it is open has its name in the sentence before.
  const named = typeof path === 'string' ? path : syscall === 'read' ? 'it' : undefined;
  const code = codeOf(error) ?? '';
  return named === undefined ? networkTroubles[code]?.(error as Peer) : fileTroubles[code]?.(named);
}

/** Nobody whom Node.js trusts has signed it. */
const untrusted =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;

/** OpenSSL names its functions and files; undefined for what is none of its errors that people meet. */
function describeTlsError(error: Error): string | undefined {
  const code = codeOf(error) ?? '';
  // What comes is no TLS; later releases of OpenSSL take its first letters for a length.
  const isPlain = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(code);
  if (isPlain) return say('no-https-there', { code });
  return untrusted.test(code) ? say('certificate-untrusted', { why: error.message, code }) : undefined;
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** What a line of the log says of a failure: the code that `docs/errors.md` explains, and what happened. */
export function failure(error: unknown): { readonly code: string; readonly reason: string } {
  let known: unknown = error;
  while (known instanceof Error && !isBridgeError(known)) known = known.cause;
  const system = error instanceof Error ? codeOf(error) : undefined;
  const code = isBridgeError(known) ? known.code : isShortage(system) ? shortages[system] : 'internal';
  return { code, reason: describeError(error) };
}

/** What systems call it. */
const shortages = {
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EMFILE: 'too-many-files',
  ENFILE: 'too-many-files',
  SQLITE_BUSY: 'database-locked',
} as const satisfies Record<string, ErrorCode>;

function isShortage(code: unknown): code is keyof typeof shortages {
  return typeof code === 'string' && Object.hasOwn(shortages, code);
}
