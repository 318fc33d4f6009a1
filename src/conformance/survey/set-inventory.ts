import { toMilliseconds } from '../../core/datetime.ts';
import { hashText, textHash } from '../../core/memory/text-hash.ts';
import { TextTable } from '../../core/memory/text-table.ts';
import {
  type DocumentEntry,
  type DocumentHead,
  noAttributes,
} from '../../resourcesync/documents/document-model.ts';
import { toTime } from '../rules/time-rules.ts';

/** Where a resource or a change was seen, as far as it can be told again. */
export interface Seen {
  readonly list: string;
  /** From 1. */
  readonly entry: number;
}

/** A table of URIs with the list and the entry in which each was last seen. About 40 bytes a URI. */
export class LocRecord {
  readonly locs = new TextTable();
  readonly #lists: string[] = [];
  // Typed, for a plain array takes twice as much, and more while it grows.
  #listOf = new Uint32Array(1024);
  #entryOf = new Uint32Array(1024);

  /** Begins a list: what is added from now on is of it. */
  begin(list: string): void {
    this.#lists.push(list);
  }

  /** @returns the position */
  add(loc: string, entry: number): number {
    const position = this.locs.add(loc);
    this.place(position, entry);
    return position;
  }

  /** Says where the URI at a position was seen last. */
  place(position: number, entry: number): void {
    if (position >= this.#listOf.length) {
      this.#listOf = doubled(this.#listOf);
      this.#entryOf = doubled(this.#entryOf);
    }
    this.#listOf[position] = this.#lists.length - 1;
    this.#entryOf[position] = entry;
  }

  listOf(position: number): string {
    return this.#lists[this.#listOf[position] ?? -1] ?? '?';
  }

  at(position: number): Seen {
    return { list: this.listOf(position), entry: this.#entryOf[position] ?? 0 };
  }
}

function doubled(column: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(column.length * 2);
  longer.set(column);
  return longer;
}

export type LastChange = 'created' | 'updated' | 'deleted' | 'undecidable';
const changeNames: readonly LastChange[] = ['undecidable', 'created', 'updated', 'deleted'];

/** What the changes of an interval come to, in their order, to compare Change List and manifest (RS-CAP-13). */
export interface ChangeSequence {
  readonly uri: string;
  readonly from: string | undefined;
  readonly until: string | undefined;
  count: number;
  digest: number;
}

/**
 * What the documents of one set say of its resources, for the rules between lists: uniform application
 * (RS-CAP-11…13), lists that do not overlap (RS-RLI-09). URIs are kept as 64-bit hashes.
 */
export class SetInventory {
  readonly resources = new LocRecord();
  readonly dumped = new LocRecord();
  readonly changes = new LocRecord();
  /** Resources that two lists have. */
  readonly shared: { readonly loc: string; readonly first: Seen; readonly second: Seen }[] = [];
  /** URIs of the Resource Lists, Change Lists and manifests that were read, each with its own times. */
  readonly read = new Map<string, DocumentHead>();
  readonly sequences: Record<'CL' | 'CDM', ChangeSequence[]> = { CL: [], CDM: [] };
  /** Too many to keep; nothing can be said about sets. */
  full = false;
  readonly #maximum: number;
  readonly #changedAt: number[] = [];
  readonly #changeKind: number[] = [];

  constructor(maximumResources: number) {
    this.#maximum = maximumResources;
  }

  /** @returns what takes the entries of a document of this set */
  observe(
    uri: string,
    kind: 'RL' | 'RDM' | 'CL' | 'CDM',
    head: DocumentHead,
  ): (entry: DocumentEntry) => void {
    this.read.set(uri, head);
    if (kind === 'RL') return this.#resourcesOf(uri);
    if (kind === 'RDM') {
      this.dumped.begin(uri);
      return ({ locs: [loc], number }) => {
        if (loc !== undefined && this.#hasRoom(this.dumped)) this.dumped.add(loc, number);
      };
    }
    const sequence = this.#begin(uri, kind, head);
    if (kind === 'CDM') return (entry) => extend(sequence, entry);
    this.changes.begin(uri);
    return (entry) => {
      extend(sequence, entry);
      this.#addChange(entry);
    };
  }

  /** The last change of a resource that is known, by its position in `changes`. */
  lastChange(position: number): { readonly at: number; readonly kind: LastChange } {
    const kind = changeNames[this.#changeKind[position] ?? 0] ?? 'undecidable';
    return { at: this.#changedAt[position] ?? 0, kind };
  }

  #resourcesOf(uri: string): (entry: DocumentEntry) => void {
    this.resources.begin(uri);
    return ({ locs: [loc], number }) => {
      if (loc === undefined || !this.#hasRoom(this.resources)) return;
      const before = this.resources.locs.size;
      const position = this.resources.locs.add(loc);
      const first = position < before ? this.resources.at(position) : undefined;
      this.resources.place(position, number);
      if (first && first.list !== uri && this.shared.length < 100) {
        this.shared.push({ loc, first, second: { list: uri, entry: number } });
      }
    };
  }

  #addChange({ locs: [loc], md: [md = noAttributes], number }: DocumentEntry): void {
    if (loc === undefined || !this.#hasRoom(this.changes)) return;
    const time = toTime(md.get('datetime'));
    const before = this.changes.locs.size;
    const known = this.changes.locs.find(loc);
    if (known !== -1 && this.#changeKind[known] === 0) return;
    const kind = time === undefined ? 0 : Math.max(0, changeNames.indexOf(md.get('change') as LastChange));
    const at = time === undefined ? 0 : toMilliseconds(time);
    if (known !== -1 && kind !== 0 && at < (this.#changedAt[known] ?? 0)) return;
    const position = this.changes.add(loc, number);
    if (position > before) return;
    this.#changedAt[position] = at;
    this.#changeKind[position] = kind;
  }

  #begin(uri: string, kind: 'CL' | 'CDM', head: DocumentHead): ChangeSequence {
    const md = head.md[0] ?? noAttributes;
    const [from, until] = [toTime(md.get('from')), toTime(md.get('until'))];
    const sequence = { uri, from, until, count: 0, digest: 0 };
    this.sequences[kind].push(sequence);
    return sequence;
  }

  #hasRoom({ locs }: LocRecord): boolean {
    if (locs.size >= this.#maximum) this.full = true;
    return !this.full;
  }
}

function extend(sequence: ChangeSequence, { locs: [loc = ''], md: [md] }: DocumentEntry): void {
  hashText(`${md?.get('change')} ${loc}`);
  sequence.count += 1;
  sequence.digest = (Math.imul(sequence.digest, 31) + textHash.low) ^ textHash.high;
}
