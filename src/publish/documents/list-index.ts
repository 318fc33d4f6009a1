import { toUri } from '../../core/uris.ts';
import { renderSmallDocument } from './small-document.ts';

/** The times that a list and its entry in the index both state (RS-RLI-08, RS-CLI-06). */
export interface ListTimes {
  readonly at?: string | undefined;
  readonly completed?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** The index of several lists or dumps; the members come in the order given (RS-CLI-02, RS-RDI-01, RS-CDI-01). */
export function renderListIndex(
  baseUrl: string,
  index: {
    readonly capability: 'resourcelist' | 'changelist' | 'resourcedump' | 'changedump';
    readonly up: string;
    readonly times: ListTimes;
    readonly members: readonly ({ readonly path: string } & ListTimes)[];
  },
): string {
  return renderSmallDocument({
    baseUrl,
    root: 'sitemapindex',
    links: [{ rel: 'up', href: toUri(baseUrl, index.up) }],
    md: { capability: index.capability, ...timesOf(index.times) },
    entries: index.members.map((member) => ({ loc: toUri(baseUrl, member.path), md: timesOf(member) })),
  });
}

function timesOf({ at, completed, from, until }: ListTimes): Record<string, string | undefined> {
  return { at, completed, from, until };
}
