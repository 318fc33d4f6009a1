import { BridgeError } from '../../core/errors.ts';

/** What the system says when it will not let us read or write. */
const refusals: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  EROFS: 'it lies on a file system that is read-only',
  ENOTDIR: 'a part of this path is a file, not a directory',
  EISDIR: 'it is a directory, not a file',
  ELOOP: 'its symbolic links lead in a circle',
  EIO: 'the disk fails',
};

/** What SQLite says of its file. */
const sayings: readonly (readonly [RegExp, string])[] = [
  [/database disk image is malformed|SQLITE_CORRUPT/i, 'is damaged'],
  [/file is not a database|SQLITE_NOTADB/i, 'is damaged, or not a database'],
  [/disk I\/O error|SQLITE_IOERR/i, 'cannot be read or written: the disk fails, or the file was taken away'],
  [/attempt to write a readonly database|SQLITE_READONLY/i, 'may not be written by this user'],
  [/unable to open database file|SQLITE_CANTOPEN/i, 'cannot be opened by this user'],
];

interface Details {
  readonly code?: unknown;
  readonly path?: unknown;
  readonly syscall?: unknown;
  readonly databaseFile?: unknown;
}

/** A failure of what lies on the disk, that only a person can do something about, in a sentence. */
export function storageError(error: Error): BridgeError | undefined {
  const { code, path, syscall, databaseFile } = error as Details;
  const saying = sayings.find(([said]) => said.test(error.message))?.[1];
  if (saying !== undefined) {
    const file = typeof databaseFile === 'string' ? ` ${databaseFile}` : '';
    return new BridgeError('storage', `the SQLite file${file} ${saying}`, { cause: error });
  }
  const refusal = typeof code === 'string' ? refusals[code] : undefined;
  if (refusal === undefined || typeof path !== 'string' || syscall === 'connect' || syscall === 'listen')
    return undefined;
  return new BridgeError('storage', `${path} cannot be used: ${refusal}`, { cause: error });
}

const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  '08000',
  '08003',
  '08006',
  '28P01',
  '3D000',
  '57P01',
  '57P02',
  '57P03',
  // It stood still for longer than its lease.
  '25P03',
]);

/** It answers, and will not do what it is asked for; what is to be done is another thing than where it is away. */
export const notWritable =
  'the PostgreSQL database takes no writes: it is a standby, or it is set to be read-only';
export const writableAdvice =
  'Name the primary in `database.url`; where `select pg_is_in_recovery()` says f, look for why it was set so (`show default_transaction_read_only`), a full disk for instance.';
const unwilling: Readonly<Record<string, { readonly message: string; readonly advice: string }>> = {
  '25006': { message: notWritable, advice: writableAdvice },
  '53300': {
    message: 'the PostgreSQL database has no connection left',
    advice:
      'Raise `max_connections` there, or have fewer processes and smaller pools: each process takes up to `database.poolSize` and `database.readerPoolSize`.',
  },
};

/** What `pg` says of a connection that ended, without any code; the statement comes before it. */
const connectionEnded =
  /(?:^| - )(?:Connection terminated|timeout expired|Client has encountered a connection error|Client was closed)/;

function isOutOfFiles(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/\bE[MN]FILE\b/.test(`${String((cause as { code?: unknown }).code ?? '')} ${cause.message}`))
      return true;
  }
  return false;
}

/** Gives database failures that a person can do something about our own code; anything else passes. */
export function translate(error: unknown): unknown {
  if (error instanceof BridgeError || !(error instanceof Error)) return error;
  const code = String((error as { code?: unknown }).code ?? '');
  if (/database or disk is full|ENOSPC/i.test(error.message) || code === 'ENOSPC' || code === '53100') {
    return new BridgeError('disk-full', 'the disk of the database is full', {
      cause: error,
      retryable: true,
    });
  }
  if (isOutOfFiles(error)) {
    return new BridgeError('too-many-files', 'this process has as many files open as it may', {
      cause: error,
      retryable: true,
    });
  }
  if (/database is locked|SQLITE_BUSY/i.test(error.message)) {
    return new BridgeError('database-locked', 'the SQLite file is locked by another process', {
      cause: error,
      retryable: true,
    });
  }
  const damage = storageError(error);
  if (damage) return damage;
  const { [code]: known } = unwilling;
  if (known !== undefined)
    return new BridgeError('database-unavailable', known.message, {
      cause: error,
      retryable: true,
      advice: known.advice,
    });
  const acquire = error.name === 'KnexTimeoutError';
  if (acquire || connectionCodes.has(code) || connectionEnded.test(error.message)) {
    return new BridgeError('database-unavailable', 'the database does not answer', {
      cause: error,
      retryable: true,
    });
  }
  return error;
}
