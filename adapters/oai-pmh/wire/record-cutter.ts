import { BridgeError } from '../../../src/core/errors.ts';
import { rawRecord } from '../../../src/core/raw-record.ts';
import { DeclaredPrefixes } from '../namespaces/declared-prefixes.ts';
import { statedNamespaces } from '../namespaces/stated-namespaces.ts';
import {
  Complete,
  ForbiddenDoctype,
  NotWellFormed,
  OtherDocument,
  UndeclaredPrefix,
} from './parser-errors.ts';
import { type CutRecord, type Envelope, type ListContext, RecordParser } from './record-parser.ts';
import { repairRecord } from './repair.ts';
import { TextWindow } from './text-window.ts';

const maximumRecord = 16 * 1024 * 1024;
const maximumProlog = 192 * 1024;
/** More than a record's start tag with its declarations and its header's start tag. */
const boundaryOverlap = 8192;
const pieceLength = 16_384;
const noneStated: ReadonlyMap<string, string> = new Map();
/** Text without a tag: from where on it is suspicious, and up to where it is worth looking into. */
const suspiciousText = 8192;
const hopelessText = 262_144;

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
    // In pieces, because what damage swallows is read twice.
    for (let start = 0; start < text.length && !this.#complete; start += pieceLength) {
      const piece = text.slice(start, start + pieceLength);
      this.#window.append(piece);
      this.#advance(piece);
    }
    if (damaged) this.#note('bytes that are not UTF-8 were read as windows-1252');
  }

  /** Call at the end of the text. @throws BridgeError `upstream-cut-off` unless the document is complete */
  end(): void {
    // The last record may have swallowed the end of the list.
    while (!this.#complete && this.#damage === undefined && this.#parser.record !== undefined) {
      this.#startDamage('it does not end');
      this.#advance('');
    }
    if (this.#complete) return;
    throw new BridgeError('upstream-cut-off', 'the response ended before its last tag', { retryable: true });
  }

  /** The records finished since the last call. */
  take(): CutRecord[] {
    return this.#finished.splice(0);
  }

  #advance(text: string): void {
    let rest: string | undefined = text;
    while (rest !== undefined && !this.#complete) {
      rest = this.#damage === undefined ? this.#parse(rest) : this.#findEnd(this.#damage);
    }
  }

  #parse(text: string): string | undefined {
    try {
      this.#parser.write(text);
    } catch (error) {
      if (error instanceof Complete) {
        this.#complete = true;
        return undefined;
      }
      if (!(error instanceof NotWellFormed) || this.#parser.record === undefined) throw toBridgeError(error);
      this.#startDamage(error.message);
      return '';
    }
    if (this.#parser.record !== undefined && this.#isLost()) {
      this.#startDamage('it does not end');
      return '';
    }
    this.#window.dropBefore(this.#parser.neededFrom);
    this.#checkEnvelope();
    return undefined;
  }

  /** Whether the open record is endless, or its parser reads the next records as a part of an entity's name. */
  #isLost(): boolean {
    const { recordStart, lastTagEnd, context } = this.#parser;
    if (this.#window.end - recordStart > maximumRecord) return true;
    const text = this.#window.end - lastTagEnd;
    if (context === undefined || text < suspiciousText || text > hopelessText) return false;
    const boundary = boundaryOf(this.#window.slice(recordStart, recordStart + 256), context);
    return this.#window.search(boundary, lastTagEnd) !== undefined;
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

  /** @returns the text behind the damaged record, or undefined when its end has not arrived yet */
  #findEnd(damage: Damage): string | undefined {
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
      return undefined;
    }
    const rest = this.#window.slice(end, this.#window.end);
    const span = damage.head ?? this.#window.slice(damage.from, end);
    this.#damage = undefined;
    if (!damage.repairable || !this.#repair(span, damage)) {
      this.#restart(damage.context);
      this.#finished.push(quarantined(span, damage.reason));
    }
    this.#window.append(rest);
    return rest;
  }

  /** Parses the mended text in place of the damaged one. @returns whether it gave a record */
  #repair(span: string, damage: Damage): boolean {
    const { text, reasons } = repairRecord(span);
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

function quarantined(span: string, reason: string): CutRecord {
  const header = /<(?:[^\s:<>]+:)?header[\s>][\s\S]*?<\/(?:[^\s:<>]+:)?header\s*>/i.exec(span)?.[0] ?? '';
  const identifier = /<(?:[^\s:<>]+:)?identifier(?:\s[^<>]*)?>([^<]*)</i.exec(header)?.[1] ?? '';
  return {
    // The header may be damaged as well; a name with an odd character is better than none.
    identifier: unescapeText(repairRecord(identifier).text).trim(),
    datestamp: '',
    setSpecs: [],
    deleted: false,
    repairs: new Set(),
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
      ? new BridgeError('upstream-html', 'the response is an HTML page, not OAI-PMH', {
          retryable: true,
          cause: error,
        })
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
