import type { SaxesTagNS } from 'saxes';
import { type RawRecord, rawRecord } from '../../../src/core/problem.ts';
import type { DeclaredPrefixes } from '../namespaces/declared-prefixes.ts';
import { type Namespaces, oaiNamespace } from '../namespaces/namespaces.ts';
import { NamespaceUse, withNamespaces } from '../namespaces/payload.ts';
import { LimitedParser } from './attribute-limit.ts';
import { Complete, ForbiddenDoctype, NotWellFormed, notWellFormed, OtherDocument } from './parser-errors.ts';
import type { TextWindow } from './text-window.ts';

/** One `<record>`, or one `<header>` of ListIdentifiers, as it was cut out of a response. */
export interface CutRecord {
  /** Trimmed; empty where the header states none. */
  identifier: string;
  datestamp: string;
  setSpecs: string[];
  deleted: boolean;
  payload?: Payload;
  /** What had to be mended before it could be read. */
  readonly repairs: Set<string>;
  /** Why it cannot be used. */
  quarantine?: string;
  /** As it came, where there is something wrong with it. */
  raw?: RawRecord;
}

export interface Payload {
  readonly content: Buffer;
  /** Of the root element; empty for none. */
  readonly namespace: string;
}

/** Everything of a response that is not a record. */
export interface Envelope {
  responseDate?: string;
  readonly errors: OaiError[];
  token?: ResumptionToken;
}

export interface OaiError {
  /** As the repository writes it; compared without regard to case. */
  readonly code: string;
  readonly message: string;
}

export interface ResumptionToken {
  /** Trimmed; empty where the list ends. */
  readonly value: string;
  readonly completeListSize: number | undefined;
  readonly cursor: number | undefined;
  /** As written. */
  readonly expirationDate?: string | undefined;
}

/** How to start in the middle of a list, behind damage. */
export interface ListContext {
  readonly rootName: string;
  readonly listName: string;
  readonly namespaces: Namespaces;
}

const maximumDoctype = 65_536;
/** Of an identifier, a date, a set, an error: no honest one is a hundredth of it. */
const maximumText = 65_536;
const tooLong = 'its header has a very long text';
const maximumSets = 1000;
/** Errors of one answer, beyond which nobody learns anything. */
const maximumErrors = 100;
/** Each tag looks its prefix up through all that are open: with a million of them nobody would see the end. */
const deepest = 1000;
/** In the envelope these leave the parser in a sound state, and nobody reads what they damage. */
const harmless =
  /: (?:disallowed character\.|undefined entity\.|malformed character entity\.|unbound namespace|duplicate attribute)/;

/**
 * The strict parser of a list response. Elements are recognised by depth and namespace, not by name alone:
 * payload roots are called `record` and `metadata`, too (quirks 86, 87).
 */
export class RecordParser {
  readonly #saxes = new LimitedParser((prefix) => this.#resolveUndeclared(prefix));
  readonly #window: TextWindow;
  readonly #envelope: Envelope;
  readonly #finished: CutRecord[];
  readonly #declared: DeclaredPrefixes;
  /** What the record that is read says of prefixes that nobody declares. */
  #stated: ReadonlyMap<string, string> = new Map();
  /** Lower-case local names of the open envelope elements; '' for what is not of the protocol. */
  readonly #path: string[] = [];
  #shift = 0;
  #depth = 0;
  #tagStart = 0;
  #lastTagEnd = 0;
  #record: CutRecord | undefined;
  #recordStart = 0;
  readonly #sets = new Set<string>();
  #payload: { start: number; name: string; namespace: string; use: NamespaceUse } | undefined;
  #text: string | undefined;
  #textDepth = 0;
  #attributes: SaxesTagNS['attributes'] = {};
  #root: SaxesTagNS | undefined;
  #context: ListContext | undefined;

  /** With a context, starts inside a list at the window's end, which must be empty. */
  constructor(
    window: TextWindow,
    envelope: Envelope,
    finished: CutRecord[],
    declared: DeclaredPrefixes,
    context?: ListContext,
  ) {
    this.#window = window;
    this.#declared = declared;
    this.#envelope = envelope;
    this.#finished = finished;
    const saxes = this.#saxes;
    saxes.on('error', (error) => this.#onError(error));
    saxes.on('doctype', (doctype) => {
      if (doctype.length > maximumDoctype) throw new ForbiddenDoctype();
    });
    if (context !== undefined) this.#startInside(context);
    // Six kinds of handlers at most: the seventh turns V8's object into a dictionary (measured: 145 MB/s to 23).
    saxes.on('opentag', (tag) => this.#open(tag));
    saxes.on('closetag', (tag) => this.#close(tag));
  }

  /** @throws NotWellFormed, Complete, OtherDocument, ForbiddenDoctype */
  write(text: string): void {
    this.#saxes.write(text);
  }

  /** What the next record says of prefixes that nobody declares; it holds for that one alone. */
  believe(stated: ReadonlyMap<string, string>): void {
    this.#stated = stated;
  }

  /** The record that is open, if one is. */
  get record(): CutRecord | undefined {
    return this.#record;
  }

  get recordStart(): number {
    return this.#recordStart;
  }

  /** Where the last tag ended, of whatever element. */
  get lastTagEnd(): number {
    return this.#lastTagEnd;
  }

  /** Text before this position is not needed any more. */
  get neededFrom(): number {
    return this.#record === undefined ? this.#lastTagEnd : this.#recordStart;
  }

  get context(): ListContext | undefined {
    return this.#context;
  }

  /** Whether a record without prefixes may begin here: all that was read of the list has ended. */
  get isBetweenRecords(): boolean {
    if (this.#depth !== 2 || this.#context === undefined || this.#path[1] === 'listidentifiers') return false;
    const uri = this.#context.namespaces[''] ?? '';
    if (uri !== '' && uri !== oaiNamespace) return false;
    // The parser holds a carriage return back until it knows what follows.
    return /^[\t\n ]*$/.test(this.#window.slice(this.#lastTagEnd, this.#window.end));
  }

  /** Takes a record that was read without this parser. */
  pass(record: CutRecord, declarations: readonly Namespaces[], length: number): void {
    for (const namespaces of declarations) this.#declared.see(namespaces);
    this.#finished.push(record);
    this.#window.pass(length);
    this.#shift += length;
    this.#lastTagEnd = this.#window.end;
  }

  get #position(): number {
    return this.#saxes.position + this.#shift;
  }

  #startInside(context: ListContext): void {
    const { rootName, listName, namespaces } = context;
    const declarations = new Map(Object.entries(namespaces).filter(([prefix]) => prefix !== 'xml'));
    const start = `${withNamespaces(`<${rootName}>`, rootName, declarations)}<${listName}>`;
    this.#saxes.write(start);
    this.#shift = this.#window.end - start.length;
    this.#lastTagEnd = this.#window.end;
    this.#path.push('oai-pmh', localName(listName));
    this.#depth = 2;
    this.#context = context;
  }

  #open(tag: SaxesTagNS): void {
    const depth = this.#depth;
    this.#depth += 1;
    this.#lastTagEnd = this.#position;
    this.#saxes.tagEnded();
    this.#declared.see(tag.ns);
    if (depth > deepest) throw new NotWellFormed(`it is nested more than ${deepest} levels deep`);
    if (this.#payload !== undefined) {
      this.#payload.use.open(tag);
      return;
    }
    if (depth > 4) return;
    // An attribute's value cannot contain `<`: this one is the tag's own.
    this.#tagStart = this.#window.tagStart(this.#lastTagEnd);
    const ours = tag.uri === oaiNamespace || tag.uri === '';
    const name = ours ? tag.local.toLowerCase() : '';
    this.#path[depth] = name;
    this.#path.length = depth + 1;
    if (depth === 0) {
      // Also in no namespace at all, and with the verb in lower case (quirks 72, 88).
      if (name !== 'oai-pmh') throw new OtherDocument(tag.name);
      this.#root = tag;
    } else if (depth === 1) this.#openVerb(tag, name);
    else if (depth === 2) this.#openEntry(tag, name);
    else if (depth === 3) this.#openPart(tag, name);
    else this.#openLeaf(tag, name);
  }

  #openVerb(tag: SaxesTagNS, name: string): void {
    if (name === 'responsedate' || name === 'error') this.#capture(tag);
    else if (name === 'listrecords' || name === 'getrecord' || name === 'listidentifiers') {
      const { name: rootName = 'OAI-PMH', ns = {} } = this.#root ?? {};
      this.#context = { rootName, listName: tag.name, namespaces: { ...ns, ...tag.ns } };
    }
  }

  #openEntry(tag: SaxesTagNS, name: string): void {
    if (name === 'resumptiontoken') this.#capture(tag);
    else if (name === 'record') this.#startRecord();
    else if (name === 'header' && this.#path[1] === 'listidentifiers') {
      this.#startRecord();
      this.#openHeader(tag);
    }
  }

  #openPart(tag: SaxesTagNS, name: string): void {
    if (name === 'header') this.#openHeader(tag);
    else if (this.#path[2] === 'header') this.#openHeaderLeaf(tag, name);
  }

  #startRecord(): void {
    this.#recordStart = this.#tagStart;
    this.#sets.clear();
    this.#record = { identifier: '', datestamp: '', setSpecs: [], deleted: false, repairs: new Set() };
  }

  #openHeader(tag: SaxesTagNS): void {
    const status = tag.attributes.status;
    // Upper case occurs (quirk 59).
    if (this.#record !== undefined && status?.value.trim().toLowerCase() === 'deleted')
      this.#record.deleted = true;
  }

  #openHeaderLeaf(tag: SaxesTagNS, name: string): void {
    if (this.#record === undefined) return;
    if (name === 'identifier' || name === 'datestamp' || name === 'setspec') this.#capture(tag);
  }

  #openLeaf(tag: SaxesTagNS, name: string): void {
    if (this.#record === undefined) return;
    if (this.#path[3] === 'header') this.#openHeaderLeaf(tag, name);
    else if (this.#path[3] === 'metadata') {
      if (this.#record.payload !== undefined) {
        // The first one is what the format is about (quirk 89).
        this.#record.repairs.add(`<${tag.name}> was left out: only the first element in <metadata> is taken`);
        return;
      }
      const use = new NamespaceUse((prefix) => this.#saxes.resolve(prefix));
      this.#payload = { start: this.#tagStart, name: tag.name, namespace: tag.uri, use };
      use.open(tag);
    }
  }

  #close(tag: SaxesTagNS): void {
    this.#depth -= 1;
    const depth = this.#depth;
    const end = this.#position;
    if (this.#payload !== undefined) {
      this.#payload.use.close(tag);
      if (depth > 4) {
        this.#lastTagEnd = end;
        return;
      }
    }
    // The parser closes an element also because of another's end tag, and complains afterwards.
    if (depth <= 4 && !tag.isSelfClosing && !this.#window.closes(tag.name, end))
      throw new NotWellFormed(`unexpected end of <${tag.name}>`);
    this.#lastTagEnd = end;
    if (this.#payload !== undefined) this.#closePayload(end);
    else if (this.#text !== undefined && depth === this.#textDepth) this.#release(depth);
    else if (depth === 2 && this.#record !== undefined) {
      const isHeader = this.#path[2] === 'header';
      if (isHeader ? this.#record.identifier === '' : isWanting(this.#record))
        this.#record.raw = rawRecord(this.#window.slice(this.#recordStart, end));
      this.#finished.push(this.#record);
      this.#record = undefined;
      this.#stated = new Map();
    } else if (depth === 0) throw new Complete();
  }

  #closePayload(end: number): void {
    const payload = this.#payload;
    this.#payload = undefined;
    if (payload === undefined || this.#record === undefined) return;
    const document = withNamespaces(
      this.#window.slice(payload.start, end),
      payload.name,
      payload.use.missing,
    );
    this.#record.payload = { content: Buffer.from(document, 'utf8'), namespace: payload.namespace };
  }

  #capture(tag: SaxesTagNS): void {
    this.#text = '';
    this.#textDepth = this.#depth - 1;
    this.#attributes = tag.attributes;
    // Only now: text that nobody reads costs time.
    this.#saxes.on('text', (text) => this.#onText(text));
    this.#saxes.on('cdata', (text) => this.#onText(text));
  }

  #onText(text: string): void {
    if (this.#text === undefined) return;
    this.#text += text;
    if (this.#text.length <= maximumText) return;
    if (this.#record !== undefined && this.#textDepth > 2) throw new NotWellFormed(tooLong);
    this.#text = this.#text.slice(0, maximumText);
  }

  #release(depth: number): void {
    // Trimmed: a token of blanks is none (quirk 6). Copied: a slice would keep the whole chunk in memory.
    const text = Buffer.from((this.#text ?? '').trim(), 'utf8').toString('utf8');
    const name = this.#path[depth];
    this.#text = undefined;
    this.#saxes.off('text');
    this.#saxes.off('cdata');
    if (name === 'responsedate') this.#envelope.responseDate = text;
    else if (name === 'error') {
      if (this.#envelope.errors.length >= maximumErrors) return;
      this.#envelope.errors.push({ code: this.#attribute('code') ?? '', message: text });
    } else if (name === 'resumptiontoken') {
      this.#envelope.token = {
        value: text,
        completeListSize: toCount(this.#attribute('completeListSize')),
        cursor: toCount(this.#attribute('cursor')),
        expirationDate: this.#attribute('expirationDate'),
      };
    } else if (this.#record !== undefined) {
      if (name === 'identifier') this.#record.identifier = text;
      else if (name === 'datestamp') this.#record.datestamp = text;
      else this.#addSet(text);
    }
  }

  /** The same set twice counts once (quirk 63). */
  #addSet(spec: string): void {
    const record = this.#record;
    if (record === undefined || spec === '' || this.#sets.has(spec)) return;
    if (this.#sets.size >= maximumSets) {
      record.repairs.add(`of its sets, the first ${maximumSets} were taken`);
      return;
    }
    this.#sets.add(spec);
    record.setSpecs.push(spec);
  }

  #attribute(name: string): string | undefined {
    return this.#attributes[name]?.value.trim();
  }

  #resolveUndeclared(prefix: string): string | undefined {
    const before = this.#declared.get(prefix);
    const uri = before ?? this.#stated.get(prefix);
    if (uri !== undefined) {
      const how = before === undefined ? 'as its xsi:schemaLocation states' : 'as it was earlier in the list';
      this.#record?.repairs.add(`the undeclared prefix "${prefix}" was declared ${how} (${uri})`);
    }
    return uri;
  }

  #onError(error: Error): void {
    if (this.#record === undefined && harmless.test(error.message)) return;
    throw notWellFormed(error.message);
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

function toCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A record that names itself and brings something, or says that it is gone, needs no second look. */
function isWanting({ identifier, deleted, payload, quarantine }: CutRecord): boolean {
  return quarantine !== undefined || identifier === '' || (!deleted && payload === undefined);
}
