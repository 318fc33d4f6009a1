import { toIso } from '../../core/datetime.ts';
import { exactMemento, type Selection, selectMemento } from '../../core/timeline.ts';
import { toUri } from '../../core/uris.ts';
import type { PublishedDocument } from '../../publish/publication.ts';
import { Refusal } from '../errors.ts';
import type { DocumentPastSettings } from './document-past.ts';
import type { Past, PastSelection } from './past.ts';
import { sendDocument } from './send-document.ts';

/** A document whose former states are kept: each is a memento of the moment from which on it was published. */
export async function createStatesPast(
  settings: DocumentPastSettings,
  current: PublishedDocument,
): Promise<Past> {
  const { publication, baseUrl, clock } = settings;
  const now = toIso(clock.now());
  const states = new Map<string, PublishedDocument>();
  for (const state of await publication.former(current.path)) states.set(state.lastModified, state);
  // Within the second of its beginning it may be replaced by another of the same moment.
  if (current.lastModified < now) states.set(current.lastModified, current);
  const mementos = [...states.keys()].sort().map((datetime) => ({ datetime }));
  const timeline = { mementos, gaps: [], dropped: [] };
  const [first, last] = [mementos[0]?.datetime, mementos.at(-1)?.datetime];
  const toDatetimes = ({ selected, prev, next }: Selection): PastSelection => ({
    selected: mementos[selected ?? -1]?.datetime,
    prev: mementos[prev ?? -1]?.datetime,
    next: mementos[next ?? -1]?.datetime,
  });
  return {
    uri: toUri(baseUrl, current.path),
    span: first === undefined || last === undefined ? undefined : { count: mementos.length, first, last },
    select: async (at) => toDatetimes(selectMemento(timeline, at)),
    exact: async (datetime) => toDatetimes(exactMemento(timeline, datetime)),
    list: async (offset, limit) => mementos.slice(offset, offset + limit).map(({ datetime }) => datetime),
    isDropped: () => false,
    send: async (datetime, request, reply, headers) => {
      const state = states.get(datetime);
      if (!state) throw new Refusal('not-found', 'there is no such memento');
      return sendDocument(settings, state, request, reply, headers);
    },
  };
}
