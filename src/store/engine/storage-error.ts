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
