import { toIso } from '../../core/datetime.ts';
import { channelAt } from '../../core/push/channels.ts';
import { mostChangesAtOnce } from '../../core/push/limits.ts';
import { changeNotifications } from '../../publish/changes/change-notifications.ts';
import { toldFrom } from '../../publish/changes/told-from.ts';
import { putNotification } from '../../store/push/notifications.ts';
import { listWantedTopics } from '../../store/push/subscriptions.ts';
import {
  advanceTopic,
  endTopics,
  holdTopic,
  listTopics,
  type Topic,
  topicFrom,
} from '../../store/push/topics.ts';
import {
  type JournalState,
  lastSeqBefore,
  markJournals,
  momentOf,
  readJournals,
} from '../../store/sources/journal.ts';
import type { Bridge } from '../bridge.ts';
import { type OpenChannel, openChannels } from './channels.ts';
import { tellOfDocuments } from './documents.ts';
import { keepForeignHubs } from './foreign-hubs.ts';

type TellingBridge = Pick<Bridge, 'config' | 'database' | 'sets' | 'publication' | 'log'>;

/** `waits`: something has happened that is not published yet. */
export type Told = 'told' | 'waits' | 'nothing';

/**
 * Writes down what is to be told: of the changes in the journals, as soon as the Change Lists have them, and of what is published. Any
 * number of processes may do it; each thing is told once.
 */
export class Telling {
  readonly #bridge: TellingBridge;
  #published: ReadonlySet<string> = new Set();
  #publishedAt = Number.NEGATIVE_INFINITY;
  /** Sources that were seen with nothing published, and where their journals stood: what comes behind that, and their first pass, is news. */
  readonly #awaited = new Map<string, number>();
  readonly #documentsAt = new Map<string, number>();
  #mark: string | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #waits = false;

  constructor(bridge: TellingBridge) {
    this.#bridge = bridge;
  }

  /** @param now by the clock of the database */
  async tell(now: number): Promise<Told> {
    const { database } = this.#bridge;
    if (await this.#isAsBefore(now)) return 'nothing';
    const topics = new Map(await listTopics(database.reader));
    let wanted = await listWantedTopics(database.reader);
    const subscribed = new Set([...wanted.values()].map(({ name }) => name));
    const journals = await readJournals(database.reader);
    const isFresh = await this.#lookAtPublished(now, journals);
    const open = openChannels(this.#bridge, (path) => this.#published.has(path), subscribed);
    for (const channel of open.values()) {
      const journal = journals.get(channel.resources.source);
      if (journal && !topics.has(channel.path))
        topics.set(channel.path, await this.#begin(channel, journal, now));
    }
    for (const name of this.#published) this.#awaited.delete(name);
    // Before anything is told: else it is passed over.
    if (isFresh && (await keepForeignHubs(this.#bridge, open, topics, now)))
      wanted = await listWantedTopics(database.reader);
    let [hasTold, waits] = [false, false];
    for (const channel of open.values()) {
      const [journal, topic] = [journals.get(channel.resources.source), topics.get(channel.path)];
      if (!journal || !topic) continue;
      const want = wanted.get(topic.id);
      if (channel.kind === 'framework-notification') {
        if (want && (await this.#tellOfDocuments(channel, topic, now))) hasTold = true;
        continue;
      }
      if (topic.journalId !== journal.id || (!want && topic.journalSeq < journal.seq))
        await this.#skip(topic, journal);
      else if (want && topic.journalSeq < journal.seq) {
        const upToSeq = await this.#publishedSeq(channel, journal);
        if (upToSeq < journal.seq) waits = true;
        const news = { ...journal, seq: upToSeq };
        if (upToSeq > topic.journalSeq && (await this.#tellOfChanges(channel, topic, news, want, now)))
          hasTold = true;
      }
    }
    const ended = [...topics.values()].filter(
      ({ name }) => channelAt(name) && !this.#isOffered(name, subscribed),
    );
    await endTopics(database, ended, (name) => `${this.#bridge.config.baseUrl}/${name}`, now);
    this.#waits = waits;
    return hasTold ? 'told' : waits ? 'waits' : 'nothing';
  }

  /** While nothing happens, a look is one small query; what is published, and who subscribes, is looked at more rarely. */
  async #isAsBefore(now: number): Promise<boolean> {
    const mark = await markJournals(this.#bridge.database.reader);
    const isFresh = now - this.#lookedAt < documentsEveryMs && now >= this.#lookedAt;
    if (mark === this.#mark && isFresh && !this.#waits) return true;
    this.#mark = mark;
    this.#lookedAt = now;
    return false;
  }

  /** How far the Change Lists of a set have come: whoever is told looks there. */
  async #publishedSeq({ resources: { path } }: OpenChannel, { id, seq }: JournalState): Promise<number> {
    const published = (await this.#bridge.publication.set(path))?.journal;
    return published?.id === id ? Math.min(published.seq, seq) : 0;
  }

  /** A set that is configured, but not published for a moment, keeps its channels. */
  #isOffered(name: string, subscribed: ReadonlySet<string>): boolean {
    return openChannels(this.#bridge, () => true, subscribed).has(name);
  }

  async #lookAtPublished(now: number, journals: ReadonlyMap<string, JournalState>): Promise<boolean> {
    const isRecent = now - this.#publishedAt < lookAgainMs && now >= this.#publishedAt;
    if (isRecent && !(await this.#isNewPublished(journals))) return false;
    const { config, publication } = this.#bridge;
    this.#published = new Set((await publication.sets()).map(({ path }) => path));
    for (const name of this.#awaited.keys())
      if (!Object.hasOwn(config.sources, name)) this.#awaited.delete(name);
    for (const name of Object.keys(config.sources))
      if (!this.#published.has(name) && !this.#awaited.has(name))
        this.#awaited.set(name, journals.get(name)?.seq ?? 0);
    this.#publishedAt = now;
    return true;
  }

  /** The first lists of a source have been written: they name channels, and what comes from now on is told there. */
  async #isNewPublished(journals: ReadonlyMap<string, JournalState>): Promise<boolean> {
    for (const name of this.#awaited.keys()) {
      const hasPassed = journals.get(name)?.firstPassSeq !== undefined;
      if (hasPassed && (await this.#bridge.publication.set(name))) return true;
    }
    return false;
  }

  async #begin(channel: OpenChannel, journal: JournalState, now: number): Promise<Topic> {
    const { database } = this.#bridge;
    const seen = this.#awaited.get(channel.resources.source);
    const seq =
      seen === undefined
        ? (await this.#publishedSeq(channel, journal)) || undefined
        : Math.max(seen, journal.firstPassSeq ?? 0);
    const from = await toldFrom(database.reader, journal, seq);
    return database.transaction((trx) => topicFrom(trx, channel.path, from, now));
  }

  /** Nobody waits for it, or it is the journal of another database: it is told from here on. */
  async #skip(topic: Topic, { id, seq, at }: JournalState): Promise<void> {
    await this.#bridge.database.transaction(async (trx) => {
      const held = await holdTopic(trx, topic.id);
      if (held?.journalSeq === topic.journalSeq)
        await advanceTopic(trx, topic.id, { journalId: id, journalSeq: seq, untilAt: at });
    });
  }

  async #tellOfChanges(
    { resources: set }: OpenChannel,
    topic: Topic,
    journal: JournalState,
    { withJson }: { readonly withJson: boolean },
    now: number,
  ): Promise<boolean> {
    const { database, config } = this.#bridge;
    const { baseUrl } = config;
    const { afterSeq, from } = await this.#beginning(topic, journal);
    const notifications = await database.snapshot(async (trx) => {
      const all = [];
      const range = { afterSeq, upToSeq: journal.seq };
      for await (const one of changeNotifications(trx, { baseUrl, set, from, withJson }, range))
        all.push(one);
      return all;
    });
    return database.transaction(async (trx) => {
      const held = await holdTopic(trx, topic.id);
      // Another process has told it meanwhile.
      if (held?.journalSeq !== topic.journalSeq || held.journalId !== topic.journalId) return false;
      for (const { xml: content, json, ...facts } of notifications)
        await putNotification(trx, topic.id, { mediaType: 'application/xml', content, json, ...facts }, now);
      const untilAt = notifications.at(-1)?.until;
      await advanceTopic(trx, topic.id, {
        journalSeq: journal.seq,
        ...(untilAt === undefined ? {} : { untilAt }),
      });
      return notifications.length > 0;
    });
  }

  /** Where very much has happened at once only its last second is told: what is missing before it is a gap that can be seen. */
  async #beginning(
    topic: Topic,
    { sourceId, seq }: JournalState,
  ): Promise<{ readonly afterSeq: number; readonly from: string | undefined }> {
    const { reader } = this.#bridge.database;
    const whole = { afterSeq: topic.journalSeq, from: topic.untilAt };
    if (seq - topic.journalSeq <= mostChangesAtOnce) return whole;
    const at = await momentOf(reader, sourceId, seq);
    if (at === undefined || at <= (topic.untilAt ?? '')) return whole;
    const afterSeq = await lastSeqBefore(reader, sourceId, seq, at);
    return { afterSeq: Math.max(afterSeq, topic.journalSeq), from: at };
  }

  async #tellOfDocuments(channel: OpenChannel, topic: Topic, now: number): Promise<boolean> {
    const last = this.#documentsAt.get(topic.name) ?? Number.NEGATIVE_INFINITY;
    if (now - last < documentsEveryMs && now >= last) return false;
    this.#documentsAt.set(topic.name, now);
    return tellOfDocuments(this.#bridge, channel, topic, { now, at: toIso(new Date(now)) });
  }
}

const lookAgainMs = 5000;
const documentsEveryMs = 2000;
