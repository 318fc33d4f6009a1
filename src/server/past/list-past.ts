import type { FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { mementoUri, toUri } from '../../core/uris.ts';
import { setPaths } from '../../publish/documents/document-paths.ts';
import type { ListInTime } from '../../publish/time/lists-in-time.ts';
import {
  listMoments,
  type Moment,
  type MomentCounter,
  type MomentRange,
  momentAfter,
  momentAt,
  momentBefore,
  settledMoments,
} from '../../store/sources/moments.ts';
import { Refusal } from '../http/errors.ts';
import { formatLinks } from '../http/link-header.ts';
import type { Past, PastSelection } from '../past.ts';
import type { DocumentPastSettings } from './document-past-settings.ts';
import { sendDocument } from './send-document.ts';

/** A Resource List has a memento of every change of its source. */
export async function createListPast(
  settings: DocumentPastSettings,
  set: ResourceSet,
  counter: MomentCounter,
): Promise<Past> {
  const { baseUrl, database } = settings;
  const db = database.reader;
  const uri = toUri(baseUrl, setPaths(set).resourceList);
  const range = await rangeOf(settings, set);
  if (!range) return { uri, span: undefined, ...nothing };
  const last = await momentBefore(db, range, range.before);
  const count = await counter.count(db, range);
  const around = async (moment: Moment | undefined): Promise<PastSelection> => {
    if (!moment) return {};
    const [prev, next] = [await momentBefore(db, range, moment.at), await momentAfter(db, range, moment.at)];
    return { selected: moment.at, prev: prev?.at, next: next?.at };
  };
  return {
    uri,
    span: { count, first: range.from, last: last?.at ?? range.from },
    // ME-04, ME-05, ME-06.
    select: async (at = range.before) => around(await momentAt(db, range, at < range.from ? range.from : at)),
    exact: async (datetime) => around(await exactMoment(settings, range, datetime)),
    list: async (offset, limit) => (await listMoments(db, range, offset, limit)).map(({ at }) => at),
    isDropped: () => false,
    isFinal: () => true,
    send: async (datetime, request, reply, headers) => {
      const { document } = await findList(settings, set, await exactMoment(settings, range, datetime));
      return sendDocument(settings, document, request, reply, headers);
    },
  };
}

/**
 * A part of such a list is not what something else was: it is itself, and stays (RFC 7089 §4.3, pattern 3). Only the
 * list has a TimeGate.
 */
export async function createListMemberPast(
  settings: DocumentPastSettings,
  set: ResourceSet,
  number: number,
): Promise<Past> {
  const { baseUrl } = settings;
  const uri = toUri(baseUrl, setPaths(set).resourceListMember(number));
  const range = await rangeOf(settings, set);
  const find = (datetime: string) => (range ? exactMoment(settings, range, datetime) : undefined);
  return {
    uri,
    span: undefined,
    ...nothing,
    exact: async (datetime) => ({ selected: (await find(datetime))?.at }),
    send: async (datetime, request: FastifyRequest, reply: FastifyReply, headers) => {
      const part = (await findList(settings, set, await find(datetime))).part(number);
      if (!part) throw new Refusal('not-found', 'the list of this time has no such part');
      reply.header('link', formatLinks([{ rel: 'original', href: mementoUri(baseUrl, uri, datetime) }]));
      return sendDocument(settings, part, request, reply, headers);
    },
  };
}

const nothing = {
  select: async () => ({}),
  exact: async () => ({}),
  list: async () => [],
  isDropped: () => false,
  isFinal: () => true,
  send: async () => {
    throw new Refusal('not-found', 'there is no such memento');
  },
} satisfies Omit<Past, 'uri' | 'span'>;

function rangeOf({ database, clock }: DocumentPastSettings, set: ResourceSet) {
  return settledMoments(database, set.source, toIso(clock.now()));
}

async function exactMoment(
  { database }: DocumentPastSettings,
  range: MomentRange,
  datetime: string,
): Promise<Moment | undefined> {
  const moment = await momentAt(database.reader, range, datetime);
  return moment?.at === datetime ? moment : undefined;
}

async function findList(
  { listsInTime }: DocumentPastSettings,
  set: ResourceSet,
  moment: Moment | undefined,
): Promise<ListInTime> {
  if (!moment) throw new Refusal('not-found', 'there is no such memento');
  const list = await listsInTime.find(set, moment);
  if (!list) throw new Refusal('not-ready', 'the list of this time is still being rendered');
  return list;
}
