import type { ServerDeps } from '../deps.ts';
import { createTargetReader } from '../http/base-path.ts';
import { editionOf } from '../repeated/grounds.ts';
import type { DirectWay } from '../repeated/repeated-answers.ts';
import { createDirectMetadata } from './direct-metadata.ts';
import { createDirectTimeGate } from './direct-time-gate.ts';

/**
 * Answers what is asked for most in one go: without a router, hooks and promises, which together cost more than the answer.
 * It says what the handler of the route says, octet by octet, and is made of the same parts; whatever is not as usual (what is
 * gone, withheld or not there, files, errors) is left to that handler.
 */
export function createDirectWay(deps: ServerDeps): DirectWay {
  const read = createTargetReader(deps.baseUrl);
  const [metadata, timeGate] = [createDirectMetadata(deps), createDirectTimeGate(deps)];
  let edition: (() => boolean) | undefined;
  let end: (() => void) | undefined;
  let turn = 0;

  /** Asked once for all requests that are answered together, and are read together, too: all of them had come before. */
  function knownEdition(isAlone: boolean): (() => boolean) | undefined {
    if (edition === undefined) {
      edition = editionOf(deps);
      // Only SQLite answers at once, and only it says whether something has changed.
      if (edition === undefined) return undefined;
      turn = (turn + 1) % turnsTogether;
      end = isAlone || turn === 0 ? undefined : deps.database.readTogether();
    }
    return edition;
  }

  return {
    answer: (asked, isAlone) => {
      if (asked.method !== 'GET' || !visible.test(asked.target)) return undefined;
      // Its query is empty: whoever has one goes the long way.
      const { path, uri } = read(asked.target);
      try {
        const isRead = knownEdition(isAlone);
        if (!isRead) return undefined;
        if (uri === undefined) return metadata(asked, path, isRead);
        return path === timeGates ? timeGate(asked, uri, isRead) : undefined;
      } catch {
        // The long way comes upon the same, and says what it is.
        return undefined;
      }
    },
    rest: () => {
      end?.();
      end = undefined;
      edition = undefined;
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
