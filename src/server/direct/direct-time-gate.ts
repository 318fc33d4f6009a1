import { parseAcceptDatetime } from '../../core/datetime.ts';
import { isAbsolute, toUri } from '../../core/uris.ts';
import { findMoments, findMomentsAtOnce, type Moments } from '../../store/history/moments.ts';
import type { ServerDeps } from '../deps.ts';
import { encodeTarget } from '../http/link-header.ts';
import { redirectHeaders } from '../memento/memento-redirect.ts';
import { commonHeaders } from '../operations/request-hooks.ts';
import { createOwnReader } from '../past/original.ts';
import { whyWithheldHere } from '../past/served-history.ts';
import { selectIn, spanOf } from '../past/timeline-past.ts';
import type { Asked, GivenAnswer } from '../repeated/answer-memory.ts';
import { isServed, never, settingsOf } from '../repeated/grounds.ts';
import { createFields } from './fields.ts';

/** Of metadata that was there then (`memento/time-gate.ts`). */
export function createDirectTimeGate(deps: ServerDeps) {
  const { baseUrl, database } = deps;
  const pathOf = createOwnReader(baseUrl);
  const toFields = createFields({ ...commonHeaders(deps, true), vary: 'accept-datetime' });

  /** @returns undefined: the long way */
  function answer(
    { acceptDatetime }: Asked,
    path: string,
    history: Moments | undefined,
    isRead: () => boolean,
  ): GivenAnswer | undefined {
    const at = acceptDatetime ? parseAcceptDatetime(acceptDatetime) : undefined;
    if (acceptDatetime && at === undefined) return undefined;
    if (!history || !isServed(deps, history.source)) return undefined;
    const { source, timeline } = history;
    if (whyWithheldHere(deps, history) !== undefined) return undefined;
    const isConfigured = settingsOf(deps, source);
    const { selected, ...around } = selectIn(timeline, at);
    if (selected === undefined) return undefined;
    const past = { uri: encodeTarget(toUri(baseUrl, path)), span: spanOf(timeline) };
    const headers = toFields(undefined, redirectHeaders(baseUrl, past, { ...around, selected }));
    if (!headers) return undefined;
    const hold = () => isConfigured() && isRead();
    return { status: 302, headers, body: undefined, grounds: { operationId: 'getTimeGate', hold } };
  }

  return {
    /** @returns undefined: it is none of ours */
    pathOf: (uri: string): string | undefined => {
      const path = pathOf(uri);
      return path === undefined || isAbsolute(path) ? undefined : path;
    },
    atOnce: (asked: Asked, path: string, isRead: () => boolean) =>
      answer(asked, path, findMomentsAtOnce(database.reader, path), isRead),
    later: async (asked: Asked, path: string) =>
      answer(asked, path, await findMoments(database.reader, path), never),
  };
}
