import { addSeconds, toIso } from '../../core/datetime.ts';
import { exactMemento } from '../../core/time/timeline.ts';
import { toUri } from '../../core/uris.ts';
import { listHistories, type ResourceHistory } from '../../store/history/timelines.ts';
import type { ServerDeps } from '../deps.ts';
import { refuseUnlessShown } from '../files/asked-first.ts';
import { contentTypeOf, fileHeaders } from '../files/file-headers.ts';
import { refuseGone, refuseWithheld } from '../files/files.ts';
import { keptRepresentation } from '../files/kept-content.ts';
import { Refusal } from '../http/errors.ts';
import { encodeTarget } from '../http/link-header.ts';
import { sendRepresentation } from '../http/representation.ts';
import type { Past } from '../past.ts';
import { settingsOf } from '../repeated/grounds.ts';
import { untilWithheld } from '../until-withheld.ts';
import { sendProxiedMemento } from './proxied-memento.ts';
import { servedHistory, whyWithheldHere } from './served-history.ts';
import { createTimelinePast } from './timeline-past.ts';

/** @param reads whether whoever asks may be told of a source */
export async function findResourcePast(
  deps: ServerDeps,
  path: string,
  reads: (source: string) => Promise<boolean>,
): Promise<Past | undefined> {
  for (const history of await listHistories(deps.database.reader, path)) {
    const isServed = (await deps.servesSource?.(history.source)) ?? true;
    if (isServed && (await reads(history.source)))
      return createResourcePast(deps, servedHistory(deps, history));
  }
  return undefined;
}

function createResourcePast(deps: ServerDeps, history: ResourceHistory): Past {
  const { timeline, path, kind, metAt, journalAt } = history;
  const { mementos } = timeline;
  return {
    uri: encodeTarget(toUri(deps.baseUrl, path)),
    ...createTimelinePast(timeline),
    withheld: whyWithheldHere(deps, history),
    isConfigured: settingsOf(deps, history.source),
    // A file may be refused from now on, of which whoever keeps it would not hear. What was before we met it is as its
    // upstream tells it, today. A page that is stored later than its moment is stored within the minute.
    isFinal: (datetime) =>
      kind !== 'file' &&
      metAt !== undefined &&
      metAt <= datetime &&
      (datetime < journalAt || addSeconds(datetime, 60) <= toIso(deps.clock.now())),
    send: async (datetime, request, reply, headers) => {
      const memento = mementos[exactMemento(timeline, datetime).selected ?? -1];
      if (!memento) throw new Refusal('not-found', 'there is no such memento');
      // What its repository refuses was not for everybody then either.
      const { elsewhere, hash, length } = memento;
      if (kind === 'file') {
        await refuseWithheld(deps, history);
        const look = () => refuseGone(deps, history);
        untilWithheld(deps, request, reply, { length, source: history.source, look });
      }
      if (elsewhere !== undefined) return sendProxiedMemento(deps, request, reply, history, memento);
      if (kind === 'file') await refuseUnlessShown(deps, request, reply, { ...history, ...memento });
      const mediaType = kind === 'file' ? contentTypeOf(undefined, memento.mediaType) : memento.mediaType;
      const others = kind === 'file' ? fileHeaders(path, mediaType ?? '') : {};
      const content = { path, hash, length, mediaType, lastModified: datetime };
      const cacheControl = headers['cache-control'] ?? 'no-cache';
      const representation = keptRepresentation(deps, content, { cacheControl, others });
      return sendRepresentation(request, reply, representation, toIso(deps.clock.now()));
    },
  };
}
