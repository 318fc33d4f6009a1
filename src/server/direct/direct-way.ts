import { mayBeMetadata } from '../../core/uris.ts';
import type { ServerDeps } from '../deps.ts';
import { createTargetReader, isServedPath } from '../http/base-path.ts';
import { editionOf, never } from '../repeated/grounds.ts';
import type { DirectWay, Together } from '../repeated/repeated-answers.ts';
import { createDirectMetadata } from './direct-metadata.ts';
import { createDirectTimeGate } from './direct-time-gate.ts';

/**
 * Answers what is asked for most in one go: without a router, hooks and (on SQLite) promises, which together cost more than the answer.
 * It says what the handler of the route says, octet by octet, and is made of the same parts; whatever is not as usual (what is
 * gone, withheld or not there, files, errors) is left to that handler.
 */
export function createDirectWay(deps: ServerDeps): DirectWay {
  const read = createTargetReader(deps.baseUrl);
  const [metadata, timeGate] = [createDirectMetadata(deps), createDirectTimeGate(deps)];
  let isRead: (() => boolean) | undefined;
  let end: (() => void) | undefined;
  let turn = 0;

  /** Asked once for all requests that are answered together, and are read together, too: all of them had come before. */
  function readAtOnce({ isAlone, isForOnce }: Together): (() => boolean) | undefined {
    if (isRead === undefined) {
      // PostgreSQL does not say whether something has changed, and answers later.
      if (deps.database.client !== 'sqlite') return undefined;
      // For one alone this costs a fifth of its answer.
      isRead = isForOnce ? never : editionOf(deps);
      if (isRead === undefined) return undefined;
      turn = (turn + 1) % turnsTogether;
      end = isAlone || turn === 0 ? undefined : deps.database.readTogether();
    }
    return isRead;
  }

  /** What is asked for, and by which of the two ways it would be answered. */
  function wayOf(target: string) {
    // Its query is empty: whoever has one goes the long way.
    const { path: served, uri } = read(target);
    if (uri === undefined) return isServedPath(served) ? { way: metadata, path: served.slice(1) } : undefined;
    const path = served === timeGates ? timeGate.pathOf(uri) : undefined;
    return path === undefined ? undefined : { way: timeGate, path };
  }

  return {
    answer: (asked, together) => {
      if (asked.method !== 'GET' || !visible.test(asked.target)) return undefined;
      const found = wayOf(asked.target);
      if (!found) return undefined;
      const { way, path } = found;
      try {
        const hold = readAtOnce(together);
        if (hold) return way.atOnce(asked, path, hold);
      } catch {
        // The long way comes upon the same, and says what it is.
        return undefined;
      }
      return isWorthAsking(path) ? way.later(asked, path).catch(() => undefined) : undefined;
    },
    rest: () => {
      end?.();
      end = undefined;
      isRead = undefined;
    },
  };
}

/**
 * In one of so many turns each request is read alone. Where there are always requests, somebody would else always be reading, and
 * whoever writes could not begin SQLite's log anew: it would grow.
 */
const turnsTogether = 4;
const timeGates = '/timegate/';
const visible = /^[\x21-\x7e]+$/;

/** Anything else would be asked of the database twice, here and by the long way. */
function isWorthAsking(path: string): boolean {
  return mayBeMetadata(path) && !path.endsWith('/linkset.json');
}
