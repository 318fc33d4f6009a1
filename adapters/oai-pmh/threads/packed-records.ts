import type { Problem, SourceFile, SourceItem } from '../../../src/core/adapter.ts';
import { deflatePayload } from '../../../src/core/payloads/deflated.ts';
import { sha256 } from '../../../src/core/payloads/sha-256.ts';
import type { RawRecord } from '../../../src/core/problem.ts';
import { type ReadRecord, type RecordOrigin, readRecord } from '../items/source-item.ts';
import type { CutRecord } from '../wire/record-parser.ts';

/** Records on their way out of the thread: one text, and the bytes of all their payloads in one piece of memory. */
export interface PackedRecords {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Payloads of records that went ahead of them, in their order, deflated. */
export interface DeflatedPayloads {
  /** Octets of each. */
  readonly lengths: readonly number[];
  readonly bytes: Uint8Array;
}

/** A record that was read elsewhere, with what was read. */
export interface ForeignRecord extends CutRecord {
  readonly reading: ReadRecord;
}

export function readingOf(record: CutRecord): ReadRecord | undefined {
  return (record as Partial<ForeignRecord>).reading;
}

/** JSON; absent means undefined. */
interface PlainRecord {
  /** Identifier, datestamp, sets, and whether it is deleted. */
  readonly h: readonly [string, string, readonly string[], 0 | 1];
  /** Octets of the payload, and its namespace. */
  readonly p?: readonly [number, string];
  readonly repairs?: readonly string[];
  readonly quarantine?: string;
  readonly raw?: RawRecord;
  readonly item?: PlainItem;
  readonly problem?: Problem;
}

interface PlainItem {
  readonly datestamp?: string;
  readonly rank?: number;
  readonly profile?: string;
  readonly upstreamUrl?: string;
  readonly hash?: string;
  readonly files?: readonly SourceFile[];
  readonly landingPage?: string;
}

/** In the thread: reads records as items, and gathers them. */
export class RecordPacker {
  readonly #origin: RecordOrigin;
  #records: PlainRecord[] = [];
  #payloads: Uint8Array[] = [];
  #length = 0;

  constructor(origin: RecordOrigin) {
    this.#origin = origin;
  }

  get count(): number {
    return this.#records.length;
  }

  /** Octets of payloads. */
  get length(): number {
    return this.#length;
  }

  add(record: CutRecord): void {
    const { identifier, datestamp, setSpecs, deleted, payload, quarantine, raw, repairs } = record;
    const reading = readRecord(record, this.#origin);
    const [metadata] = reading.item?.metadata ?? [];
    // What is not published has been read.
    if (metadata) {
      this.#payloads.push(metadata.content);
      this.#length += metadata.content.byteLength;
    }
    this.#records.push({
      h: [identifier, datestamp, setSpecs, deleted ? 1 : 0],
      ...(payload && { p: [metadata?.content.byteLength ?? 0, payload.namespace] }),
      ...(repairs.size > 0 && { repairs: [...repairs] }),
      ...(quarantine !== undefined && { quarantine }),
      ...(raw !== undefined && { raw }),
      ...(reading.item && { item: toPlain(reading.item) }),
      ...(reading.problem && { problem: reading.problem }),
    });
  }

  take(): { readonly records: PackedRecords; readonly payloads: readonly Uint8Array[] } {
    const payloads = this.#payloads;
    const records = { text: JSON.stringify(this.#records), bytes: inOnePiece(payloads) };
    this.#records = [];
    this.#payloads = [];
    this.#length = 0;
    return { records, payloads };
  }
}

export function deflateAll(payloads: readonly Uint8Array[]): DeflatedPayloads {
  const deflated = payloads.map(deflatePayload);
  return { lengths: deflated.map(({ byteLength }) => byteLength), bytes: inOnePiece(deflated) };
}

/** In memory of its own, which can be handed over. */
function inOnePiece(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

function toPlain({ datestamp, speaksFor, metadata: [metadata], files, landingPage }: SourceItem): PlainItem {
  return {
    ...(datestamp !== undefined && { datestamp }),
    ...(speaksFor.files && { rank: speaksFor.files.rank }),
    ...(metadata && { hash: sha256(metadata.content) }),
    ...(metadata?.profile !== undefined && { profile: metadata.profile }),
    ...(metadata?.upstreamUrl !== undefined && { upstreamUrl: metadata.upstreamUrl }),
    ...(files.length > 0 && { files }),
    ...(landingPage !== undefined && { landingPage }),
  };
}

/** Where they are wanted. @param origin as they were read with */
export function unpackRecords({ text, bytes }: PackedRecords, origin: RecordOrigin): ForeignRecord[] {
  const next = piecesOf(bytes);
  return (JSON.parse(text) as PlainRecord[]).map((plain) => {
    const { h, p, repairs, quarantine, raw, item, problem } = plain;
    const [identifier, datestamp, setSpecs, deleted] = h;
    const content = p && next(p[0]);
    return {
      identifier,
      datestamp,
      setSpecs: [...setSpecs],
      deleted: deleted === 1,
      repairs: new Set(repairs),
      ...(p && content && { payload: { content, namespace: p[1] } }),
      ...(quarantine !== undefined && { quarantine }),
      ...(raw !== undefined && { raw }),
      reading: { item: item && toItem(plain, item, content, origin), problem },
    };
  });
}

/** Gives the records what came behind them. */
export function addDeflated(records: readonly ForeignRecord[], { lengths, bytes }: DeflatedPayloads): void {
  const next = piecesOf(bytes);
  const published = records.flatMap(({ reading }) => reading.item?.metadata ?? []);
  for (const [index, metadata] of published.entries()) {
    Object.assign(metadata, { deflated: next(lengths[index] ?? 0) });
  }
}

function piecesOf(bytes: Uint8Array): (length: number) => Buffer {
  let at = 0;
  return (length) => {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset + at, length);
    at += length;
    return piece;
  };
}

function toItem(
  { h: [identifier, , setSpecs, deleted] }: PlainRecord,
  { datestamp, rank, profile, upstreamUrl, hash, files = [], landingPage }: PlainItem,
  content: Buffer | undefined,
  { format, publishes }: RecordOrigin,
): SourceItem {
  const metadata = {
    format,
    content: content ?? new Uint8Array(),
    ...(profile === undefined ? {} : { profile }),
    ...(upstreamUrl === undefined ? {} : { upstreamUrl }),
    hash,
  };
  return {
    identifier,
    datestamp,
    collections: setSpecs,
    speaksFor: {
      formats: publishes ? [format] : [],
      files: rank === undefined ? undefined : { name: format, rank },
    },
    deleted: deleted === 1,
    metadata: hash === undefined ? [] : [metadata],
    files,
    ...(landingPage === undefined ? {} : { landingPage }),
  };
}
