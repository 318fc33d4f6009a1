import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseAllowedPlace } from '../../core/config/network-allow.ts';
import { toIso } from '../../core/datetime.ts';
import type { CoarNotifyConfig, NotifyPartner } from '../../core/notifications/coar-notify-schema.ts';
import { type Notification, readNotification } from '../../core/notifications/notification.ts';
import { inboxPath } from '../../core/uris.ts';
import { createIsClientFrom } from '../../server/connections/client-address.ts';
import type { Inbox, Taken } from '../../server/inbox.ts';
import { type KeptNotification, noteOutcome, receiveNotification } from '../../store/notifications/inbox.ts';
import { findWaitingAsk, recordAsked } from '../../store/runs/asked.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { askFor } from '../../store/runs/due.ts';
import type { Bridge } from '../bridge.ts';
import { noteAct } from '../sources/source-acts.ts';
import { findNamed, type NamedItem } from './named-item.ts';

const usualPerMinute = 60;

type Stored = Pick<Bridge, 'config' | 'database' | 'clock' | 'log'>;

/** The inbox of COAR Notify; undefined: nobody may send anything. */
export function openInbox(bridge: Stored): Inbox | undefined {
  const { coarNotify, listen } = bridge.config;
  const partners = partnersOf(coarNotify);
  if (partners.length === 0) return undefined;
  const isClientFrom = createIsClientFrom(listen.trustedProxies);
  const admitted = (request: IncomingMessage) => partners.filter(({ from }) => isClientFrom(request, from));
  return {
    admits: (request) => admitted(request).length > 0,
    take: (bytes, request, address) => take(bridge, admitted(request), bytes, address),
  };
}

interface Partner extends Pick<NotifyPartner, 'sources' | 'perMinute'> {
  readonly name: string;
  readonly service: string;
  readonly from: NonNullable<ReturnType<typeof parseAllowedPlace>>[];
}

function partnersOf(coarNotify: CoarNotifyConfig | undefined): readonly Partner[] {
  return Object.entries(coarNotify?.partners ?? {}).flatMap(([name, { from, ...partner }]) =>
    from === undefined
      ? []
      : [{ ...partner, name, from: from.flatMap((entry) => parseAllowedPlace(entry) ?? []) }],
  );
}

async function take(
  bridge: Stored,
  admitted: readonly Partner[],
  bytes: Buffer,
  address: string,
): Promise<Taken> {
  const read = readNotification(bytes, `${bridge.config.baseUrl}/${inboxPath}`);
  if ('faults' in read) return { kind: 'faulty', faults: read.faults };
  const { notification } = read;
  const partner = admitted.find(({ service }) => isSameService(service, notification.origin));
  if (!partner) return { kind: 'stranger', origin: notification.origin };
  const { id, pattern } = notification;
  const reception = await receiveNotification(
    bridge.database,
    {
      ...{ id, pattern, partner: partner.name, at: toIso(bridge.clock.now()) },
      content: bytes.toString('utf8'),
      hash: createHash('sha256').update(notification.canonical).digest('base64url'),
    },
    partner.perMinute ?? usualPerMinute,
  );
  if (reception === 'full' || reception === 'other') return { kind: reception };
  // Whoever took it before may have ended in the middle.
  if (reception.outcome === 'received') await act(bridge, partner, notification, reception, address);
  return { kind: 'kept', number: reception.number };
}

/** Some write a service with a slash at its end, and some without. */
function isSameService(a: string, b: string): boolean {
  return a.replace(/\/+$/, '') === b.replace(/\/+$/, '');
}

async function act(
  bridge: Stored,
  partner: Partner,
  { names, pattern }: Notification,
  { number, at }: KeptNotification,
  address: string,
): Promise<void> {
  const { database, log } = bridge;
  const item = names.length === 0 ? undefined : await findNamed(bridge, partner.sources, names);
  const who = `COAR Notify ${partner.name}`;
  if (item) {
    const asked = await ask(bridge, item, { who, at });
    await noteAct(bridge, { who, address }, 'was notified', `${item.source}: ${item.identifier}`);
    await noteOutcome(database, number, {
      outcome: 'item',
      ...{ source: item.source, item: item.identifier, asked },
    });
  } else {
    await noteOutcome(database, number, { outcome: names.length === 0 ? 'none' : 'unknown' });
  }
  const about = item ? { source: item.source, item: item.identifier } : { names };
  log.info({ partner: partner.name, notification: number, pattern, ...about }, 'notified');
}

/** Whoever works reads it again, before all that is due by schedule; once for all that ask until somebody has begun. */
async function ask(
  { database }: Stored,
  { source, identifier }: NamedItem,
  by: { readonly who: string; readonly at: string },
): Promise<number | undefined> {
  const what = { source, kind: 'item', what: identifier } as const;
  const [asked] = [await findWaitingAsk(database.reader, what)];
  const [added] = asked === undefined ? await recordAsked(database, [{ ...what, ...by }]) : [asked];
  await askFor(database, { sources: [source], kind: 'asked' }, await lookAtClock(database));
  return added;
}
