import { createHash } from 'node:crypto';
import { activityStreams, coarNotify } from './json-ld.ts';

/** A result of ours that a service is told of: Announce Service Result of COAR Notify 1.0. */
export interface Announcement {
  /** A URI, the same however often it is sent. */
  readonly id: string;
  readonly from: { readonly id: string; readonly inbox: string; readonly name: string };
  readonly to: { readonly id: string; readonly inbox: string };
  /** Where the result is read. */
  readonly page: string;
  /** What it is about. */
  readonly about: string;
  /** For people. */
  readonly summary: string;
}

export function announce({ id, from, to, page, about, summary }: Announcement): object {
  const { name, ...service } = from;
  return {
    '@context': [activityStreams, coarNotify],
    ...{ id, type: ['Announce'], summary },
    actor: { id: from.id, name, type: 'Service' },
    origin: { ...service, type: 'Service' },
    target: { ...to, type: 'Service' },
    object: { id: page, type: ['Page', 'sorg:Report'] },
    context: { id: about, type: ['Page', 'sorg:WebAPI'] },
  };
}

/** A UUID (version 8) of a text: the same for the same. */
export function uuidOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
