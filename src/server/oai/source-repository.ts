import { addSeconds, toIso } from '../../core/datetime.ts';
import { dublinCore } from '../../oai/formats.ts';
import { isNamespace } from '../../oai/identify.ts';
import { fromOaiIdentifier } from '../../oai/record-identifier.ts';
import { isInOwnSet, ownSetSpec } from '../../oai/sets/own-sets.ts';
import { statedSets } from '../../oai/sets/set-spec.ts';
import { listSets, sourceHasSets } from '../../store/oai/listed-sets.ts';
import { formatsInStore } from '../../store/oai/offered-formats.ts';
import { type OfferedSource, readOfferedSource } from '../../store/oai/offered-source.ts';
import { countRecords, type RecordList, readLastRecord, readRecords } from '../../store/oai/record-pages.ts';
import { findWholeItem, wholeItems } from '../../store/oai/stored-item.ts';
import {
  findItemRecords,
  readEarliest,
  readSomeIdentifier,
  type StoredRecord,
} from '../../store/oai/stored-record.ts';
import { advanceJournal, lastSeqBefore } from '../../store/sources/journal.ts';
import type { OaiOffer, ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';
import { setsPerAnswer } from './answer-sets.ts';
import { KnownFacts, type SourceFacts } from './origins.ts';
import type { AskedList, OaiRepository, RecordOrigin } from './repository.ts';
import { awaitFirstHarvest } from './waiting/first-harvest.ts';

type RepositoryDeps = Pick<ServerDeps, 'database' | 'baseUrl' | 'clock' | 'oai'>;

/** Opens sources as repositories; a journal's line is drawn at most once a second, however many ask. */
export function createSourceRepositories(
  deps: RepositoryDeps,
  readSecret: () => Promise<string>,
): (source: string) => Promise<OaiRepository> {
  const facts = new KnownFacts();
  return async (source) => {
    const offer = deps.oai?.(source);
    if (!offer) throw new Refusal('not-found', 'this source does not answer OAI-PMH here');
    const stored = await readOfferedSource(deps.database.reader, source);
    if (!stored?.info)
      throw await awaitFirstHarvest(deps, source, 'nothing has been harvested from this source yet');
    const known = facts.of(stored.id, stored.info);
    if (!known.byPrefix.has(dublinCore))
      throw new Refusal('not-found', 'this source cannot answer OAI-PMH: it has no records in oai_dc');
    const journal = await drawLine(deps, stored);
    return new SourceRepository(deps, { offer, stored, known, journal }, await readSecret());
  };
}

/** The line of this very second has been drawn where the journal's clock stands at it, or is ahead. */
async function drawLine(
  { database, clock }: RepositoryDeps,
  { name, journal }: OfferedSource,
): Promise<OfferedSource['journal']> {
  const now = toIso(clock.now());
  return journal.at >= now ? journal : advanceJournal(database, name, now);
}

/** An identifier of the form that the description of identifiers promises: `sampleIdentifierType` of oai-identifier.xsd. */
const sampleForm = /^oai:[^:]+:[a-zA-Z0-9\-_.!~*'();/?:@&=+$,%]+$/;

interface Opened {
  readonly offer: OaiOffer;
  readonly stored: OfferedSource;
  readonly known: SourceFacts;
  readonly journal: OfferedSource['journal'];
}

class SourceRepository implements OaiRepository {
  readonly baseUrl: string;
  readonly journal: OfferedSource['journal'];
  readonly secret: string;
  readonly sourceId: number;
  readonly #deps: RepositoryDeps;
  readonly #opened: Opened;
  readonly #origin: RecordOrigin;

  constructor(deps: RepositoryDeps, opened: Opened, secret: string) {
    const { offer, stored, known } = opened;
    this.baseUrl = `${deps.baseUrl}/${stored.name}/oai`;
    this.journal = opened.journal;
    this.secret = secret;
    this.sourceId = stored.id;
    this.#deps = deps;
    this.#opened = opened;
    this.#origin = originOf(deps, offer, stored, known);
  }

  async identity() {
    const { offer, known } = this.#opened;
    const { reader } = this.#deps.database;
    const { namespace } = this.#origin;
    const some = await readSomeIdentifier(reader, this.sourceId, `oai:${namespace}:`);
    const sample = some !== undefined && sampleForm.test(some) ? some : undefined;
    return {
      name: offer.name ?? known.info.name,
      baseUrl: this.baseUrl,
      adminEmails: [offer.adminEmail],
      // No record is dated before this: the first moment of the journal, or, without a change, where it stands.
      earliest: (await readEarliest(reader, this.sourceId)) ?? this.journal.at,
      identifiers:
        offer.namespace !== undefined && isNamespace(namespace) && sample !== undefined
          ? { namespace, sample }
          : undefined,
      friends: offer.friends.map((source) => `${this.#deps.baseUrl}/${source}/oai`),
      rights: offer.rights,
      icon: offer.icon,
    };
  }

  async formats() {
    const { formats, map } = this.#opened.known;
    const names = formats.map(({ prefix }) => prefix);
    const inStore = await formatsInStore(this.#deps.database.reader, this.sourceId, names);
    // What every repository has to offer, also one without a record.
    const offered = formats.filter(({ prefix }) => prefix === dublinCore || inStore.has(prefix));
    return map && inStore.size > 0 ? [...offered, map] : offered;
  }

  async hasFormat(prefix: string) {
    return this.#origin.format(prefix) !== undefined;
  }

  async find(identifier: string) {
    for (const candidate of fromOaiIdentifier(identifier, this.#origin.namespace)) {
      // PostgreSQL refuses NUL even in a question.
      const found = candidate.includes('\0') ? [] : await this.#findStored(candidate);
      if (found.length > 0) return found.map((record) => this.#held(record));
    }
    return undefined;
  }

  async #findStored(identifier: string): Promise<readonly StoredRecord[]> {
    const { reader } = this.#deps.database;
    const found = (await findItemRecords(reader, this.sourceId, identifier)) ?? [];
    const { map } = this.#opened.known;
    const whole = map && found.length > 0 && (await findWholeItem(reader, this.sourceId, identifier));
    // What is stored by its name, and offered no more, is not it.
    return whole ? [...found.filter(({ format }) => format !== map.prefix), whole] : found;
  }

  async hasSets() {
    const { offer, stored } = this.#opened;
    if ((offer.sets ?? []).length > 0) return true;
    const has = await sourceHasSets(this.#deps.database.reader, this.sourceId);
    // Records say which sets there are; a harvester that is told that there are none does not ask again.
    if (!has && !stored.isKnown)
      throw await awaitFirstHarvest(
        this.#deps,
        stored.name,
        'which sets this source has is known when its first harvest has ended',
      );
    return has;
  }

  /** Those that are configured here come first. */
  async sets(after: string) {
    const listed = await listSets(this.#deps.database.reader, this.sourceId, after, setsPerAnswer);
    if (after !== '') return listed;
    const own = (this.#opened.offer.sets ?? []).map((set) => ({ spec: ownSetSpec(set), name: set.title }));
    return { ...listed, sets: [...own, ...listed.sets] };
  }

  async records(list: AskedList, after: number, limit: number) {
    const { records, more } = await readRecords(this.#deps.database.reader, this.#list(list), after, limit);
    return { records: records.map((record) => this.#held(record)), more };
  }

  async lastRecord(list: AskedList, upTo: number) {
    const record = await readLastRecord(this.#deps.database.reader, this.#list(list), upTo);
    return record && this.#held(record);
  }

  before(moment: string) {
    return lastSeqBefore(this.#deps.database.reader, this.sourceId, this.journal.seq, moment);
  }

  async count(list: AskedList, after: number) {
    const upTo = list.until === undefined ? this.journal.seq : await this.before(addSeconds(list.until, 1));
    return countRecords(this.#deps.database.reader, this.#list(list), after, upTo);
  }

  #list({ prefix, set, until }: AskedList): RecordList {
    const { sets: all = [] } = this.#opened.offer;
    const own = set === undefined ? undefined : all.find((one) => ownSetSpec(one) === set);
    return {
      sourceId: this.sourceId,
      format: prefix === this.#opened.known.map?.prefix ? wholeItems : prefix,
      spec: set,
      until,
      ...(own && { own: { set: own, all } }),
    };
  }

  #held(record: StoredRecord) {
    return { record, origin: this.#origin };
  }
}

function originOf(
  { baseUrl }: RepositoryDeps,
  offer: OaiOffer,
  { id, name }: OfferedSource,
  { info, byPrefix, map }: SourceFacts,
): RecordOrigin {
  const { sets = [] } = offer;
  return {
    sourceId: id,
    source: name,
    info,
    format: (prefix) => (prefix === map?.prefix ? map : byPrefix.get(prefix)),
    namespace: offer.namespace ?? new URL(baseUrl).hostname,
    statedSets: (record) => {
      const stated = statedSets(record.collections);
      const own = sets.filter((set) => isInOwnSet(set, record)).map(ownSetSpec);
      return own.length === 0 ? stated : [...stated, ...own];
    },
  };
}
