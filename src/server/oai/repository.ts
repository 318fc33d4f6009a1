import type { RepositoryInfo } from '../../core/adapter.ts';
import type { Identity } from '../../oai/identify.ts';
import type { NamedSet, OfferedFormat } from '../../oai/lists.ts';
import type { StoredRecord } from '../../store/oai/stored-record.ts';

/** Who answers: a source, or all of them together. At the moment of a request. */
export interface OaiRepository {
  readonly baseUrl: string;
  /** `at` is the `responseDate`: what has changed until then is read, what changes later is not dated before it. */
  readonly journal: { readonly id: string; readonly at: string };
  /** What tokens are signed with. */
  readonly secret: string;
  /** Where it is one source alone. */
  readonly sourceId: number | undefined;
  identity(): Promise<Identity>;
  /** Those in which there is anything, and Dublin Core. */
  formats(): Promise<readonly OfferedFormat[]>;
  hasFormat(prefix: string): Promise<boolean>;
  /** An item in each of its formats; undefined: there is no such item. */
  find(identifier: string): Promise<readonly HeldRecord[] | undefined>;
  /** @throws Refusal `not-ready` while nobody knows */
  hasSets(): Promise<boolean>;
  /** @param after where the answer before ended (`SetPage.next`); empty: the first one */
  sets(after: string): Promise<SetPage>;
  /** @param after `HeldPage.next`, or what `before` says; 0: from the beginning */
  records(list: AskedList, after: number, limit: number): Promise<HeldPage>;
  /** The last record of a list up to a place. */
  lastRecord(list: AskedList, upTo: number): Promise<HeldRecord | undefined>;
  /** The place before everything that has changed at a moment or later. */
  before(moment: string): Promise<number>;
  /** How many records of a list there are behind a place; undefined: nobody knows. */
  count(list: AskedList, after: number): Promise<number | undefined>;
}

/** What a list is of; `until` is inclusive. */
export interface AskedList {
  readonly prefix: string;
  readonly set: string | undefined;
  readonly until: string | undefined;
}

export interface HeldPage {
  /** In the order of their last changes. */
  readonly records: readonly HeldRecord[];
  readonly more: boolean;
}

export interface SetPage {
  readonly sets: readonly NamedSet[];
  /** Undefined: these are the last ones. */
  readonly next: string | undefined;
}

export interface HeldRecord {
  readonly record: StoredRecord;
  readonly origin: RecordOrigin;
}

/** Whose record it is. */
export interface RecordOrigin {
  readonly sourceId: number;
  readonly source: string;
  /** Undefined: it has not answered yet. */
  readonly info: RepositoryInfo | undefined;
  /** Undefined: there is no such format, or none that can stand in an answer. */
  format(prefix: string): OfferedFormat | undefined;
  /** Of identifiers that are no URIs where they come from. */
  readonly namespace: string;
  /** The setSpecs of its header, by the collections that it is in. */
  statedSets(record: StoredRecord): readonly string[];
}
