import type { PushState } from '../../store/push/state.ts';
import type { Measures, SourceMeasures } from '../measures.ts';
import { type Family, type Sample, samplesText } from './samples.ts';

/** What is measured of the sources and of the installation, in the Prometheus text format. */
export function measuresText(
  { sources, queue, databaseBytes, walBytes, disks, alerts, push, notified = [], followed = [] }: Measures,
  now: number,
): string {
  const seconds = (since: number | undefined) =>
    since === undefined ? undefined : Math.max(0, (now - since) / 1000);
  const ofSources = (
    name: string,
    help: string,
    pick: (source: SourceMeasures) => number | undefined,
  ): Family => ({
    name: `rsbridge_${name}`,
    help,
    samples: sources.map((source): Sample => [{ source: source.name }, pick(source)]),
  });
  const ofQueue = (
    name: string,
    help: string,
    pick: (one: Measures['queue'][number]) => number | undefined,
  ) => ({
    name: `rsbridge_due_${name}`,
    help,
    samples: queue.map((one): Sample => [{ kind: one.kind }, pick(one)]),
  });
  const families: readonly Family[] = [
    ofSources(
      'seconds_since_success',
      'Since the last successful harvest of a source; where there was none, since it is known.',
      ({ goodSince }) => seconds(goodSince),
    ),
    ofSources(
      'failures_in_a_row',
      'Harvests of a source that failed since the last one that did not.',
      ({ failures }) => failures,
    ),
    ofSources(
      'unreadable_records',
      'Records of a source that could not be read.',
      ({ unreadable }) => unreadable,
    ),
    ofSources(
      'vanished_items',
      'Items that are missing from a repository, and wait for a decision.',
      ({ vanished }) => vanished,
    ),
    {
      name: 'rsbridge_withheld_files',
      help: 'Published files of a source that are not served at present, by the reason.',
      samples: sources.flatMap(({ name: source, withheld }): Sample[] => [
        [{ source, reason: 'refused' }, withheld.refused],
        [{ source, reason: 'gone' }, withheld.gone],
        [{ source, reason: 'private-address' }, withheld.atPrivateAddresses],
      ]),
    },
    ofSources('period_seconds', 'Between two turns of the schedule of a source.', ({ periodMs }) =>
      periodMs === undefined ? undefined : periodMs / 1000,
    ),
    ofSources(
      'publication_lag_seconds',
      'For how long a change of a source has not been in all of its lists.',
      ({ unpublishedSince }) => (unpublishedSince === undefined ? 0 : seconds(unpublishedSince)),
    ),
    {
      name: 'rsbridge_last_run_duration_seconds',
      help: 'How long the last harvest of a source took that ended.',
      samples: sources.flatMap(({ name, lastRun }): Sample[] =>
        lastRun ? [[{ source: name, mode: lastRun.mode }, lastRun.seconds]] : [],
      ),
    },
    ofQueue('waiting', 'What is due and not begun, by kind.', ({ waiting }) => waiting),
    ofQueue('running', 'What is under way, by kind.', ({ running }) => running),
    ofQueue('waiting_seconds', 'For how long the oldest of what is due has waited.', ({ waitingSince }) =>
      waitingSince === undefined ? 0 : seconds(waitingSince),
    ),
    single('database_bytes', 'What the database takes.', databaseBytes),
    single('database_wal_bytes', 'What the write-ahead log of SQLite takes.', walBytes),
    {
      name: 'rsbridge_disk_free_bytes',
      help: 'Free for us on the disk of the data directory, or of the database.',
      samples: disks.map(({ place, free }): Sample => [{ place }, free]),
    },
    {
      name: 'rsbridge_disk_size_bytes',
      help: 'How large that disk is.',
      samples: disks.map(({ place, total }): Sample => [{ place }, total]),
    },
    {
      name: 'rsbridge_alerts_sent_total',
      help: 'Messages of alerts, by the way they go and what became of them.',
      type: 'counter',
      samples: alerts.counted.map(({ channel, outcome, count }): Sample => [{ channel, outcome }, count]),
    },
    {
      name: 'rsbridge_alerts_active',
      help: 'What is wrong and was told, by kind.',
      samples: alerts.active.map(({ kind, count }): Sample => [{ kind }, count]),
    },
    single('alerts_waiting', 'Messages of alerts that are to be sent.', alerts.waiting),
    {
      name: 'rsbridge_inbox_notifications',
      help: 'Notifications of COAR Notify that are kept, by who sent them and what came of them.',
      samples: notified.map(({ partner, outcome, count }): Sample => [{ partner, outcome }, count]),
    },
    {
      name: 'rsbridge_followed_subscriptions',
      help: 'Subscriptions to Sources that are followed: in the state `active` the hub tells of changes.',
      samples: sums(followed.map(({ state }) => [state, 1])).map(([state, sum]): Sample => [{ state }, sum]),
    },
    {
      name: 'rsbridge_followed_notifications_total',
      help: 'Notifications of a Source that is followed.',
      type: 'counter',
      samples: sums(followed.map(({ source, received }) => [source, received])).map(
        ([source, sum]): Sample => [{ source }, sum],
      ),
    },
    single('backup_age_seconds', 'Since the latest backup that is known.', seconds(alerts.backupAt)),
  ];
  return [...families, ...(push ? pushFamilies(push, seconds) : [])].map(samplesText).join('');
}

/** Of each name, in the order in which they come. */
function sums(
  counts: readonly (readonly [name: string, count: number])[],
): readonly (readonly [string, number])[] {
  const sum = new Map<string, number>();
  for (const [name, count] of counts) sum.set(name, (sum.get(name) ?? 0) + count);
  return [...sum];
}

function pushFamilies(
  { subscriptions, pending, waitingSince, undeliveredSince, notifications, bytes, counted }: PushState,
  seconds: (since: number | undefined) => number | undefined,
): readonly Family[] {
  return [
    {
      name: 'rsbridge_push_subscriptions',
      help: 'Who is told of changes: `active` got the last thing it was sent, `failing` did not.',
      samples: [
        ...subscriptions.map(({ kind, state, count }): Sample => [{ kind, state }, count]),
        [{ kind: 'websub', state: 'pending' }, pending],
      ],
    },
    {
      name: 'rsbridge_push_deliveries_total',
      help: 'Notifications that were sent, and subscriptions that were asked for (`intent`), by what became of them.',
      type: 'counter',
      samples: counted.map(({ what, outcome, count }): Sample => [{ kind: what, outcome }, count]),
    },
    single(
      'push_queue_seconds',
      'Since a notification waits for a subscriber that took the one before; 0: none does.',
      seconds(waitingSince) ?? 0,
    ),
    single(
      'push_undelivered_seconds',
      'The same for any subscriber, those that fail included.',
      seconds(undeliveredSince) ?? 0,
    ),
    single('push_notifications', 'Notifications that are kept.', notifications),
    single('push_notification_bytes', 'What they take, as they are sent.', bytes),
  ];
}

function single(name: string, help: string, value: number | undefined): Family {
  return { name: `rsbridge_${name}`, help, samples: [[{}, value]] };
}
