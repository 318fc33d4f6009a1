import { toIso } from '../../core/datetime.ts';
import { toUri } from '../../core/uris.ts';
import type { PublishedDocument } from '../../publish/published/publication.ts';
import { Refusal } from '../http/errors.ts';
import type { Past } from '../past.ts';
import type { DocumentPastSettings } from './document-past-settings.ts';
import { sendDocument } from './send-document.ts';
import { createTimelinePast } from './timeline-past.ts';

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
  return {
    uri: toUri(baseUrl, current.path),
    ...createTimelinePast({ mementos, gaps: [], dropped: [] }),
    isFinal: () => true,
    send: async (datetime, request, reply, headers) => {
      const state = states.get(datetime);
      if (!state) throw new Refusal('not-found', 'there is no such memento');
      return sendDocument(settings, state, request, reply, headers);
    },
  };
}
