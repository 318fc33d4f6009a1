import { BridgeError, refusal } from '../../../src/core/errors.ts';
import { rawRecord } from '../../../src/core/problem.ts';
import { DeclaredPrefixes } from '../namespaces/declared-prefixes.ts';
import { statedNamespaces } from '../namespaces/stated-namespaces.ts';
import {
  Complete,
  ForbiddenDoctype,
  NotWellFormed,
  OtherDocument,
  UndeclaredPrefix,
} from './parser-errors.ts';
import { PlainRecord } from './plain-record.ts';
import { type CutRecord, type Envelope, type ListContext, RecordParser } from './record-parser.ts';
import { repairRecord } from './repair.ts';
import { TextWindow } from './text-window.ts';

const maximumRecord = 16 * 1024 * 1024;
const maximumProlog = 192 * 1024;
/** More than a record's start tag with its declarations and its header's start tag. */
const boundaryOverlap = 8192;
const pieceLength = 16_384;
const recordEnd = '</record>';
/** What is longer is for the strict parser, which reads it while it comes. */
const longestHeld = 65_536;
const noneStated: ReadonlyMap<string, string> = new Map();
/** Text without a tag: from where on it is suspicious, and up to where it is worth looking into. */
const suspiciousText = 8192;
const hopelessText = 262_144;

/** Of an answer: beyond that, a record ends where another begins, whatever the parser says. */
const mostReadAgain = 4 * 1024 * 1024;

interface Unread {
  readonly text: string;
  at: number;
}

/** The open damage: the text behind `from` waits for its end to be found. */
interface Damage {
  readonly from: number;
  readonly context: ListContext;
  readonly boundary: RegExp;
  searched: number;
  reason: string;
  /** It was a prefix. */
  isUndeclared?: boolean;
  repairable: boolean;
  /** The beginning of what was too large to keep. */
  head?: string;
  readonly notes: ReadonlySet<string>;
  /** What was mended of it, and was not enough. */
  mended?: readonly string[];
}

/**
 * Cuts the text of a list response into records while it arrives, holding one record at a time.
 *
 * A record that is not well-formed leaves the strict parser in a state nobody can rely on: a bare ampersand
 * swallows what follows, an end tag too many closes the envelope. So at the first error inside a record that
 * parser is given up; the record's end is found in the text (where the next record, the token or the end of
 * the list begins), the record is mended and parsed again, and a new parser goes on behind it, in the
 * envelope's namespaces. What cannot be mended is quarantined; its neighbours are not touched.
 */
export class RecordCutter {
  readonly envelope: Envelope = { errors: [] };
  #window = new TextWindow();
  #finished: CutRecord[] = [];
  readonly #declared: DeclaredPrefixes;
  #parser: RecordParser;
  #damage: Damage | undefined;
  /** The record that has begun to come, as long as it may be a plain one. */
  #plain: PlainRecord | undefined;
  #held = '';
  /** The last of them comes first. */
  readonly #unread: Unread[] = [];
  /** So many characters were. */
  #readAgain = 0;
  #complete = false;

  /** @param declared earlier in the list that the response is a part of */
  constructor(declared = new DeclaredPrefixes()) {
    this.#declared = declared;
    this.#parser = new RecordParser(this.#window, this.envelope, this.#finished, declared);
  }

  /** Whether the document's end was read. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Whether there was a list (or GetRecord) element, with records or without. */
  get hasList(): boolean {
    return this.#parser.context !== undefined;
  }

  /** @throws BridgeError when the response as a whole cannot be read */
  write(text: string, damaged = false): void {
    const all = this.#held + text;
    this.#held = '';
    if (damaged) this.#plain = undefined;
    this.#read(all, damaged);
    if (damaged) this.#note('bytes that are not UTF-8 were read as windows-1252');
  }

  /** Call at the end of the text. @throws BridgeError `upstream-cut-off` unless the document is complete */
  end(): void {
    const held = this.#held;
    this.#held = '';
    this.#read(held, true);
    // The last record may have swallowed the end of the list.
    while (!this.#complete && this.#damage === undefined && this.#parser.record !== undefined) {
      this.#startDamage('it does not end');
      this.#advance('');
      this.#read('', true);
    }
    if (this.#complete) return;
    throw refusal('upstream-cut-off', 'response-cut-off', {}, { retryable: true });
  }

  /** The records finished since the last call. */
  take(): CutRecord[] {
    return this.#finished.splice(0);
  }

  /** @param strictly what has come is not held back */
  #read(text: string, strictly: boolean): void {
    this.#unread.push({ text, at: 0 });
    for (let next = this.#unread.at(-1); next !== undefined && !this.#complete; next = this.#unread.at(-1)) {
      if (next.at >= next.text.length) {
        this.#unread.pop();
        continue;
      }
      const mayWait = !strictly && this.#unread.length === 1;
      const passed = this.#readPlain(next, mayWait);
      next.at += passed;
      if (passed === 0) this.#readStrictly(next);
    }
  }

  /** @returns how much of the text is read, or held back because it may become a plain record */
  #readPlain({ text, at }: Unread, mayWait: boolean): number {
    if (this.#damage !== undefined || !this.#parser.isBetweenRecords) return 0;
    this.#plain ??= new PlainRecord();
    const record = this.#plain.read(text, at);
    if (record === 'more' && mayWait && text.length - at <= longestHeld) {
      this.#held = text.slice(at);
      return this.#held.length;
    }
    const { declarations, length } = this.#plain;
    this.#plain = undefined;
    if (typeof record === 'string') return 0;
    this.#parser.pass(record, declarations, length);
    return length;
  }

  /** A piece, and not beyond where a plain record may follow: what damage swallows is read twice. */
  #readStrictly(unread: Unread): void {
    const { text, at } = unread;
    const end = this.#damage === undefined ? text.indexOf(recordEnd, at) : -1;
    const piece = text.slice(at, Math.min(end < 0 ? text.length : end + recordEnd.length, at + pieceLength));
    unread.at += piece.length;
    this.#window.append(piece);
    this.#advance(piece);
  }

  #advance(text: string): void {
    if (this.#damage === undefined) this.#parse(text);
    if (this.#damage !== undefined) this.#findEnd(this.#damage);
  }

  #parse(text: string): void {
    try {
      this.#parser.write(text);
    } catch (error) {
      if (error instanceof Complete) {
        this.#complete = true;
        return;
      }
      if (!(error instanceof NotWellFormed) || this.#parser.record === undefined) throw toBridgeError(error);
      this.#startDamage(error.message);
      return;
    }
    if (this.#parser.record !== undefined && this.#isLost()) {
      this.#startDamage('it does not end');
      return;
    }
    this.#window.dropBefore(this.#parser.neededFrom);
    this.#checkEnvelope();
  }

  /** Whether the open record is endless, or its parser reads the next records as a part of an entity's name. */
  #isLost(): boolean {
    const { recordStart, lastTagEnd, context } = this.#parser;
    if (this.#window.end - recordStart > maximumRecord) return true;
    if (context === undefined) return false;
    const text = this.#window.end - lastTagEnd;
    const isSuspicious = text >= suspiciousText && text <= hopelessText;
    if (!isSuspicious && this.#readAgain <= mostReadAgain) return false;
    // Where records swallow each other, each of them would be read to the end of the answer.
    const from = isSuspicious
      ? lastTagEnd
      : Math.max(recordStart + 1, this.#window.end - pieceLength - boundaryOverlap);
    const boundary = boundaryOf(this.#window.slice(recordStart, recordStart + 256), context);
    return this.#window.search(boundary, from) !== undefined;
  }

  #checkEnvelope(): void {
    if (this.#parser.record !== undefined || this.#window.end - this.#parser.neededFrom < maximumProlog)
      return;
    const start = this.#window.slice(this.#parser.neededFrom, this.#parser.neededFrom + 65_536);
    throw /<!DOCTYPE/i.test(start)
      ? toBridgeError(new ForbiddenDoctype())
      : new BridgeError('upstream-protocol', 'the response has a very long text between its elements');
  }

  #startDamage(reason: string): void {
    const from = this.#parser.recordStart;
    const context = this.#parser.context;
    if (context === undefined) throw toBridgeError(new NotWellFormed(reason));
    this.#damage = {
      from,
      context,
      boundary: boundaryOf(this.#window.slice(from, from + 256), context),
      searched: from + 1,
      reason,
      repairable: true,
      notes: this.#parser.record?.repairs ?? new Set(),
    };
  }

  /** Ends the damaged record, unless its end has not arrived yet; what lies behind it is read again. */
  #findEnd(damage: Damage): void {
    const end = this.#window.search(damage.boundary, damage.searched);
    const length = (end ?? this.#window.end) - damage.from;
    if (length > maximumRecord && damage.head === undefined) {
      damage.head = this.#window.slice(damage.from, damage.from + boundaryOverlap);
      damage.repairable = false;
      damage.reason = 'it is larger than 16 MB';
    }
    if (end === undefined) {
      damage.searched = Math.max(damage.searched, this.#window.end - boundaryOverlap);
      if (damage.head !== undefined) this.#window.dropBefore(damage.searched);
      return;
    }
    const rest = this.#window.slice(end, this.#window.end);
    const span = damage.head ?? this.#window.slice(damage.from, end);
    this.#damage = undefined;
    if (!damage.repairable || !this.#repair(span, damage)) {
      this.#restart(damage.context);
      this.#finished.push(quarantined(span, damage));
    }
    this.#unread.push({ text: rest, at: 0 });
    this.#readAgain += rest.length;
  }

  /** Parses the mended text in place of the damaged one. @returns whether it gave a record */
  #repair(span: string, damage: Damage): boolean {
    const { text, reasons } = repairRecord(span);
    damage.mended = reasons;
    let record = this.#reparse(text, damage, noneStated);
    if (record === undefined && damage.isUndeclared) {
      const { namespaces } = damage.context;
      const stated = statedNamespaces(text, namespaces, (prefix) => this.#declared.get(prefix));
      if (stated.size > 0) record = this.#reparse(text, damage, stated);
    }
    if (record === undefined) return false;
    for (const reason of [...reasons, ...damage.notes]) record.repairs.add(reason);
    // An error that went away by itself would be a defect of ours; it is not to go unseen.
    if (record.repairs.size === 0) record.repairs.add('it was read a second time');
    this.#window.dropBefore(this.#parser.neededFrom);
    return true;
  }

  /** @param stated what the record itself says of prefixes that nobody declares */
  #reparse(text: string, damage: Damage, stated: ReadonlyMap<string, string>): CutRecord | undefined {
    this.#restart(damage.context);
    this.#parser.believe(stated);
    this.#window.append(text);
    const before = this.#finished.length;
    try {
      this.#parser.write(text);
    } catch (error) {
      if (!(error instanceof NotWellFormed)) throw toBridgeError(error);
      damage.reason = error.message;
      damage.isUndeclared = error instanceof UndeclaredPrefix;
      this.#finished.length = before;
      return undefined;
    }
    const record = this.#finished[before];
    if (this.#parser.record === undefined && record !== undefined) return record;
    damage.isUndeclared = false;
    this.#finished.length = before;
    return undefined;
  }

  #restart(context: ListContext): void {
    this.#window = new TextWindow();
    this.#parser = new RecordParser(this.#window, this.envelope, this.#finished, this.#declared, context);
  }

  #note(reason: string): void {
    if (this.#damage !== undefined) (this.#damage.notes as Set<string>).add(reason);
    else this.#parser.record?.repairs.add(reason);
  }
}

/** Where something else than this record begins: a record with its header, the token, the list's end. */
function boundaryOf(start: string, context: ListContext): RegExp {
  const prefix = escapePattern(/^<([^\s:>/]+:)?/.exec(start)?.[1] ?? '');
  const space = '(?:\\s|<!--[^]{0,4000}?-->)*';
  // A list of headers has no records around them.
  const next = /^<[^\s>]*header[\s>]/i.test(start) ? '' : `record(?:\\s[^<>]*)?>${space}<${prefix}`;
  return new RegExp(
    `<${prefix}${next}header[\\s>/]` +
      `|<${prefix}resumptionToken[\\s/>]|</${escapePattern(context.listName)}\\s*>`,
    'gi',
  );
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function quarantined(span: string, { reason, mended = [], notes }: Damage): CutRecord {
  const header = /<(?:[^\s:<>]+:)?header[\s>][\s\S]*?<\/(?:[^\s:<>]+:)?header\s*>/i.exec(span)?.[0] ?? '';
  const identifier = /<(?:[^\s:<>]+:)?identifier(?:\s[^<>]*)?>([^<]*)</i.exec(header)?.[1] ?? '';
  return {
    // The header may be damaged as well; a name with an odd character is better than none.
    identifier: unescapeText(repairRecord(identifier).text).trim(),
    datestamp: '',
    setSpecs: [],
    deleted: false,
    repairs: new Set([...mended, ...notes]),
    quarantine: reason,
    raw: rawRecord(span),
  };
}

const predefined: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function unescapeText(text: string): string {
  return text.replace(
    /&(?:#(\d+)|#x([\dA-Fa-f]+)|(\w+));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return predefined[name] ?? whole;
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
    },
  );
}

function toBridgeError(error: unknown): unknown {
  if (error instanceof ForbiddenDoctype) {
    return new BridgeError('upstream-forbidden-doctype', 'the response carries a DOCTYPE of more than 64 KB');
  }
  if (error instanceof OtherDocument) {
    return /^html$/i.test(error.rootName)
      ? refusal('upstream-html', 'response-html', {}, { retryable: true, cause: error })
      : new BridgeError('upstream-protocol', `the response is not OAI-PMH: ${error.message}`, {
          cause: error,
        });
  }
  if (error instanceof NotWellFormed) {
    return new BridgeError('upstream-not-xml', `the response is not well-formed: ${error.message}`, {
      retryable: true,
      cause: error,
    });
  }
  return error;
}
