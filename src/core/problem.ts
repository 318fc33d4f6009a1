/** One bad record is a recorded problem, not a failed run. */
export interface Problem {
  readonly code: ProblemCode;
  /** One sentence for the operator. */
  readonly message: string;
  /** Undefined where the damage hides it. */
  readonly identifier?: string | undefined;
  readonly format?: string | undefined;
  /** Of a list that could not be read: which part of it; undefined: what the format says, or all. */
  readonly part?: ListPart | undefined;
  /** Of a list in doubt: it was read, and there was nothing in it. */
  readonly empty?: boolean | undefined;
  /** Of a record that could not be read: as it came, where it came. */
  readonly raw?: RawRecord | undefined;
  /** Of such a record: what was mended before it was given up. */
  readonly repairs?: readonly string[] | undefined;
}

/** Items with datestamps from one to the other (ISO UTC, both included), of one collection; undefined: any. */
export interface ListPart {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly collection?: string | undefined;
}

export type ProblemCode =
  /** Published, after illegal characters or the like were replaced. */
  | 'record-repaired'
  /** Not published; what was published before stays. */
  | 'record-quarantined'
  /** Listed, not deleted, but the upstream gave no metadata. */
  | 'record-without-metadata'
  /** A list ended in a way that proves nothing about what was not in it. */
  | 'list-doubtful'
  /** Something about the endpoint that the operator should know. */
  | 'endpoint-quirk';

/** Whether after this problem a full pass may not delete what it did not see. */
export function forbidsDeletions({ code, identifier }: Problem): boolean {
  return identifier === undefined && code !== 'endpoint-quirk';
}

/** What records that could not be read for the same reason have in common: the sentence without what is each one's own. */
export function causeOf({ message, identifier }: Pick<Problem, 'message' | 'identifier'>): string {
  const general = identifier === undefined ? message : message.replaceAll(identifier, '…');
  return general
    .replace(/\bhttps?:\/\/\S+/g, '…')
    .replace(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi, '…')
    .replace(/\d{5,}/g, '…')
    .slice(0, 500);
}

/** A record that could not be read, as it came. */
export interface RawRecord {
  /** Its beginning, where it is long. */
  readonly text: string;
  /** Octets of all of it. */
  readonly length: number;
}

/** So much of it is kept, in octets. */
const keptRawBytes = 65_536;

export function rawRecord(text: string): RawRecord {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= keptRawBytes) return { text, length: bytes.length };
  return { text: cutText(bytes), length: bytes.length };
}

/** Characters are not cut in two. */
function cutText(bytes: Buffer): string {
  let end = keptRawBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
