import type { ServerDeps } from '../deps.ts';
import { createRewrite } from '../http/base-path.ts';
import type { Asked, GivenAnswer } from '../repeated/answer-memory.ts';
import { editionOf } from '../repeated/grounds.ts';
import { createDirectMetadata } from './direct-metadata.ts';
import { createDirectTimeGate } from './direct-time-gate.ts';

/**
 * Answers what is asked for most in one go: without a router, hooks and promises, which together cost more than the answer.
 * It says what the handler of the route says, octet by octet, and is made of the same parts; whatever is not as usual (what is
 * gone, withheld or not there, files, errors) is left to that handler.
 * @returns undefined: the request is to go the long way
 */
export function createDirectWay(deps: ServerDeps): (asked: Asked) => GivenAnswer | undefined {
  const rewrite = createRewrite(deps.baseUrl);
  const [metadata, timeGate] = [createDirectMetadata(deps), createDirectTimeGate(deps)];
  let edition: (() => boolean) | undefined;

  /** Asked once for all requests that came together: that one began to be read earlier than it was is no harm. */
  function knownEdition(): (() => boolean) | undefined {
    if (edition === undefined) {
      edition = editionOf(deps);
      setImmediate(() => {
        edition = undefined;
      });
    }
    return edition;
  }

  return (asked) => {
    if (asked.method !== 'GET' || !visible.test(asked.target)) return undefined;
    const isRead = knownEdition();
    // Only SQLite answers at once, and only it says whether something has changed.
    if (!isRead) return undefined;
    const path = rewrite({ url: asked.target });
    try {
      return path.startsWith(timeGates)
        ? timeGate(asked, decodeURIComponent(path.slice(timeGates.length)), isRead)
        : metadata(asked, path, isRead);
    } catch {
      // The long way comes upon the same, and says what it is.
      return undefined;
    }
  };
}

const timeGates = '/timegate/';
const visible = /^[\x21-\x7e]+$/;
