import { addSeconds, toIso } from '../../core/datetime.ts';
import { dublinCore } from '../../oai/formats.ts';
import type { OfferedFormat } from '../../oai/lists.ts';
import { fromOaiIdentifier } from '../../oai/record-identifier.ts';
import { statedJointSets } from '../../oai/sets/joint-set-spec.ts';
import { advanceJoint, type JointState, readJoint, readTaken } from '../../store/oai/joint-order.ts';
import {
  countJointRecords,
  findJointItem,
  type JointList,
  type JointRecord,
  jointHasFormat,
  jointSeqBefore,
  readEarliestOfJoint,
  readJointRecords,
  readLastJointRecord,
  type Standing,
} from '../../store/oai/joint-pages.ts';
import { listJointSets } from '../../store/oai/joint-sets.ts';
import { type OfferedSource, readOfferedSources } from '../../store/oai/offered-source.ts';
import type { JointOaiOffer, ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';
import { setsPerAnswer } from './answer-sets.ts';
import { KnownFacts } from './origins.ts';
import type { AskedList, HeldRecord, OaiRepository, RecordOrigin } from './repository.ts';
import { notReady } from './waiting/list-turns.ts';

type RepositoryDeps = Pick<ServerDeps, 'database' | 'baseUrl' | 'clock' | 'jointOai' | 'privacy'>;

/** Opens all sources as one repository. */
export function createJointRepository(
  deps: RepositoryDeps,
  readSecret: () => Promise<string>,
): () => Promise<OaiRepository> {
  const facts = new KnownFacts();
  return async () => {
    const offer = deps.jointOai?.();
    if (!offer) throw new Refusal('not-found', 'OAI-PMH of all sources together is not answered here');
    const journal = await drawLine(deps);
    if (!journal) throw notReady('the records of all sources are being put in order');
    return new JointRepository(deps, offer, journal, await readSecret(), facts);
  };
}

async function drawLine({ database, clock }: RepositoryDeps): Promise<JointState | undefined> {
  const now = toIso(clock.now());
  const joint = await readJoint(database.reader);
  return !joint || joint.at >= now ? joint : advanceJoint(database, now);
}

interface JointOrigin extends RecordOrigin {
  readonly isRemoved: boolean;
}

/** Also of sources of which nothing is known yet. */
const anyDublinCore: OfferedFormat = {
  prefix: dublinCore,
  namespace: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
  schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
};

class JointRepository implements OaiRepository {
  readonly baseUrl: string;
  readonly journal: JointState;
  readonly secret: string;
  readonly sourceId = undefined;
  readonly #deps: RepositoryDeps;
  readonly #offer: JointOaiOffer;
  readonly #facts: KnownFacts;
  /** Of those whose records were met in this request. */
  readonly #origins = new Map<number, JointOrigin>();

  constructor(
    deps: RepositoryDeps,
    offer: JointOaiOffer,
    journal: JointState,
    secret: string,
    facts: KnownFacts,
  ) {
    this.baseUrl = `${deps.baseUrl}/oai`;
    this.journal = journal;
    this.secret = secret;
    this.#deps = deps;
    this.#offer = offer;
    this.#facts = facts;
  }

  async identity() {
    const { adminEmail, name, rights, icon, friends } = this.#offer;
    return {
      name,
      baseUrl: this.baseUrl,
      adminEmails: [adminEmail],
      earliest: (await readEarliestOfJoint(this.#deps.database.reader)) ?? this.journal.at,
      // Those of many repositories have no one form.
      identifiers: undefined,
      friends: friends.map((source) => `${this.#deps.baseUrl}/${source}/oai`),
      rights,
      icon,
    };
  }

  async formats() {
    const { reader } = this.#deps.database;
    const members = await readOfferedSources(
      reader,
      (await this.#members()).map(({ sourceId }) => sourceId),
    );
    const byPrefix = new Map<string, OfferedFormat>([[dublinCore, anyDublinCore]]);
    // Where two say different things of a prefix, the one is taken that was there first.
    for (const { id, info } of [...members.values()].sort((a, b) => a.id - b.id))
      for (const format of info === null ? [] : this.#facts.of(id, info).formats)
        if (!byPrefix.has(format.prefix)) byPrefix.set(format.prefix, format);
    const found: OfferedFormat[] = [];
    for (const format of byPrefix.values())
      if (format.prefix === dublinCore || (await jointHasFormat(reader, format.prefix))) found.push(format);
    return found;
  }

  async hasFormat(prefix: string) {
    return prefix === dublinCore || (await jointHasFormat(this.#deps.database.reader, prefix));
  }

  async find(identifier: string) {
    const taken = await readTaken(this.#deps.database.reader);
    const open = taken.filter(({ source, isRemoved }) => this.#offer.sources.has(source) || isRemoved);
    const asked = new Map([[identifier, open]]);
    for (const one of open)
      for (const candidate of fromOaiIdentifier(identifier, this.#namespaceOf(one.source)))
        if (candidate !== identifier) asked.set(candidate, [...(asked.get(candidate) ?? []), one]);
    for (const [candidate, sources] of asked) {
      // PostgreSQL refuses NUL even in a question.
      if (candidate.includes('\0')) continue;
      const ids = sources.map(({ sourceId }) => sourceId);
      const found = await findJointItem(this.#deps.database.reader, ids, candidate, this.#standing);
      if (found && found.length > 0) return found.map((record) => this.#held(record));
    }
    return undefined;
  }

  /** Where nothing else is configured, sources differ by their names: several of them may have an item `42`. */
  #namespaceOf(source: string): string {
    return this.#offer.sources.get(source)?.namespace ?? `${new URL(this.#deps.baseUrl).hostname}:${source}`;
  }

  async hasSets() {
    return this.#offer.sources.size > 0;
  }

  async sets(after: string) {
    const known = new Map((await this.#members()).map((one) => [one.source, one.sourceId]));
    const sources = [...this.#offer.sources].flatMap(([source, { title }]) => {
      const sourceId = known.get(source);
      return sourceId === undefined ? [] : [{ sourceId, source, title }];
    });
    return listJointSets(this.#deps.database.reader, sources, after, setsPerAnswer);
  }

  async records(list: AskedList, after: number, limit: number) {
    const { reader } = this.#deps.database;
    const { records, more } = await readJointRecords(reader, toList(list), after, limit, this.#standing);
    return { records: records.map((record) => this.#held(record)), more };
  }

  async lastRecord(list: AskedList, upTo: number) {
    const { reader } = this.#deps.database;
    const record = await readLastJointRecord(reader, toList(list), upTo, this.#standing);
    return record && this.#held(record);
  }

  before(moment: string) {
    return jointSeqBefore(this.#deps.database.reader, moment);
  }

  async count(list: AskedList, after: number) {
    const upTo = list.until === undefined ? this.journal.seq : await this.before(addSeconds(list.until, 1));
    return countJointRecords(this.#deps.database.reader, toList(list), after, upTo);
  }

  async #members() {
    const sources = await readTaken(this.#deps.database.reader);
    return sources.filter(({ source }) => this.#offer.sources.has(source));
  }

  /** By the configuration as it is now: whatever became private a moment ago is not shown any more. */
  readonly #standing = async (sourceIds: readonly number[]): Promise<Standing> => {
    const unknown = sourceIds.filter((id) => !this.#origins.has(id));
    for (const source of (await readOfferedSources(this.#deps.database.reader, unknown)).values())
      this.#origins.set(source.id, this.#originOf(source));
    const standing = new Map<number, 'member' | 'removed'>();
    for (const id of sourceIds) {
      const origin = this.#origins.get(id);
      if (origin && this.#offer.sources.has(origin.source)) standing.set(id, 'member');
      else if (origin?.isRemoved && (await this.#wasOpen(origin.source))) standing.set(id, 'removed');
    }
    return standing;
  };

  /** Of one that has left the configuration. */
  async #wasOpen(source: string): Promise<boolean> {
    return (await this.#deps.privacy?.of(source)) === undefined;
  }

  #originOf({ id, name, info, removedAt }: OfferedSource): JointOrigin {
    const known = info === null ? undefined : this.#facts.of(id, info);
    return {
      sourceId: id,
      source: name,
      info: known?.info,
      format: (prefix) => known?.byPrefix.get(prefix),
      namespace: this.#namespaceOf(name),
      statedSets: ({ collections }) => statedJointSets(name, collections),
      isRemoved: removedAt !== null,
    };
  }

  #held(record: JointRecord): HeldRecord {
    const origin = this.#origins.get(record.sourceId);
    if (!origin) throw new Error(`source ${record.sourceId} was not asked for`);
    return { record, origin };
  }
}

function toList({ prefix, set, until }: AskedList): JointList {
  return { format: prefix, spec: set, until };
}
