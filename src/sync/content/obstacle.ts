import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ofCopy } from '../state/due-resources.ts';

interface FileError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly path?: unknown;
  /** Of what is moved. */
  readonly dest?: unknown;
}

/**
 * What is in the way of a file of the copy, or cannot be written, and what to do: the same words for all resources that it keeps out.
 * @returns undefined for what is no such thing
 */
export function obstacleOf(error: unknown): string | undefined {
  const trouble = (error ?? {}) as FileError;
  const { code } = trouble;
  const path = pathOf(trouble);
  const say = typeof code === 'string' && path !== undefined ? sayings[code]?.(path) : undefined;
  return say === undefined ? undefined : `${ofCopy}${say}`;
}

const sayings: Readonly<Record<string, (path: string) => string | undefined>> = {
  ENOTDIR: inTheWay,
  EEXIST: inTheWay,
  EISDIR: inTheWay,
  ENOTEMPTY: inTheWay,
  EACCES: notWritable,
  EPERM: notWritable,
  EROFS: (path) =>
    `${existing(path).place} is on a file system that is read-only; make it writable, or take another directory`,
  EXDEV: (path) =>
    `${existing(path).place} is on another file system than the directory of the copy, and files are moved there; have both on one, or take another directory`,
};

function inTheWay(path: string): string | undefined {
  const { place, found } = existing(path);
  if (found?.isDirectory() === false)
    return `${place} is a file, and a folder of the copy has to be there; move it away`;
  return place === path
    ? `${place} is a folder, and a file of the copy has to be there; move it away`
    : undefined;
}

function notWritable(path: string): string {
  const { place, found } = existing(path);
  const what = found?.isFile() === true ? 'may not be opened by this user' : 'cannot be written by this user';
  return `${place} ${what}; run as the user who owns it, or make it writable`;
}

/** What is there of a path, as far as it may be seen. */
function existing(path: string): { readonly place: string; readonly found: Stats | undefined } {
  for (let place = path; ; place = dirname(place)) {
    const found = statOf(place);
    if (found !== undefined || dirname(place) === place) return { place, found };
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Where it was to lie; an error of a thread has its message alone: `EACCES: permission denied, mkdir '/copy/a'`. */
function pathOf({ dest, path, message }: FileError): string | undefined {
  if (typeof dest === 'string') return dest;
  if (typeof path === 'string') return path;
  return typeof message === 'string' ? /'([^']+)'$/.exec(message)?.[1] : undefined;
}
