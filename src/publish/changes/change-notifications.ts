import type { Knex } from 'knex';
import { payloadLimits } from '../../core/push/limits.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { toUri } from '../../core/uris.ts';
import type { ChangeEntry } from '../../store/reading/change-rows.ts';
import { listChanges } from '../../store/reading/listing.ts';
import { setPaths } from '../documents/document-paths.ts';
import { listTail, renderEntry, renderListHead } from '../documents/entry-writer.ts';

/** What those who want to be told of changes get at once, and the part of the journal that it is about. */
export interface ChangeNotification {
  readonly xml: Buffer;
  /** The same for webhooks. */
  readonly json: Buffer | undefined;
  readonly entries: number;
  readonly from: string;
  readonly until: string;
  readonly hasDeletions: boolean;
}

export interface NotificationSettings {
  readonly baseUrl: string;
  readonly set: ResourceSet;
  /** The `until` of the one before: each begins where that ended (CN-02). Undefined: the first change of this one. */
  readonly from: string | undefined;
  /** Whether webhooks are told, too. */
  readonly withJson: boolean;
  readonly limits?: { readonly entries: number; readonly bytes: number };
}

/**
 * The changes of a part of the journal as Change Notifications, in order: as many as it takes (CN-08). They end at moments of
 * changes, and no later change is dated before them.
 */
export async function* changeNotifications(
  db: Knex | Knex.Transaction,
  settings: NotificationSettings,
  range: { readonly afterSeq: number; readonly upToSeq: number },
): AsyncGenerator<ChangeNotification> {
  const { set, limits = payloadLimits } = settings;
  let payload: Payload | undefined;
  let from = settings.from;
  for await (const page of listChanges(db, set, range)) {
    for (const change of page) {
      const text = renderEntry(settings.baseUrl, change, set);
      const size = Buffer.byteLength(text);
      if (payload && (payload.changes.length >= limits.entries || payload.bytes + size > limits.bytes)) {
        yield render(settings, payload);
        from = payload.until;
        payload = undefined;
      }
      payload ??= { from: from ?? change.datetime, until: change.datetime, bytes: 0, texts: [], changes: [] };
      payload.texts.push(text);
      payload.changes.push(change);
      payload.bytes += size;
      payload.until = change.datetime;
    }
  }
  if (payload) yield render(settings, payload);
}

interface Payload {
  readonly from: string;
  until: string;
  bytes: number;
  readonly texts: string[];
  readonly changes: ChangeEntry[];
}

function render(
  { baseUrl, set, withJson }: NotificationSettings,
  { from, until, texts, changes }: Payload,
): ChangeNotification {
  const up = toUri(baseUrl, setPaths(set).capabilityList);
  const head = renderListHead({ baseUrl, capability: 'change-notification', up, from, until });
  const json = withJson
    ? Buffer.from(JSON.stringify({ from, until, changes: changes.map((change) => plain(baseUrl, change)) }))
    : undefined;
  return {
    xml: Buffer.from(head + texts.join('') + listTail),
    json,
    entries: changes.length,
    ...{ from, until },
    hasDeletions: changes.some(({ change }) => change === 'deleted'),
  };
}

function plain(baseUrl: string, { path, change, datetime, lastmod, hash, length, mediaType }: ChangeEntry) {
  return { uri: toUri(baseUrl, path), change, datetime, lastmod, hash, length, type: mediaType };
}
