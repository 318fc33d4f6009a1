import { describeError, isBridgeError } from '../../core/errors.ts';
import type { LinkReading } from '../documents/document-model.ts';
import type { SourcePort } from '../source-port.ts';
import { type Capability, refuseOtherKind, refuseSilence } from './capability.ts';
import { headOf } from './document-head.ts';
import { type FetchedDocument, fetchDocument, type Validators } from './fetched-document.ts';
import { type Fault, PartMoments } from './part-moments.ts';
import type { Remarks } from './remarks.ts';
import type { DocumentOpening, Interval, Member, SourceDocument } from './source-document.ts';
import type { Statement } from './statement.ts';

/** Told what a list says, or an index with all its parts. */
export interface TreeVisitor {
  /** What is read; a document that says that it is another is refused. Default: what the one at the address says. */
  readonly capability?: Capability;
  /** For each document of resources, before its first statement. */
  opened?(document: DocumentOpening, servedAt: string | undefined): void;
  statement(statement: Statement): void;
  /** Default: now. */
  readonly linkReading?: LinkReading;
  /** False: this part is of no interest. */
  wants?(member: Member): boolean;
}

export interface ReadTree {
  /** Of the document at the address itself. */
  readonly times: Interval;
  /** None where others follow it, which may be new when it is not. */
  readonly validators: Validators;
  readonly servedAt: string | undefined;
  /** Documents that were read to their ends. */
  readonly documents: number;
  /** It was handed out page by page, each made when it was asked for: what moved meanwhile may be on none of them. */
  readonly isPaged: boolean;
  /** Parts that could not be read, or are of another moment than they should be, and why: without them nothing can be called absent. */
  readonly faults: readonly Fault[];
}

/** An index of indexes of indexes is the deepest that anybody means. */
const maximumDepth = 3;
const maximumDocuments = 50_000;

/**
 * Reads a list, or the parts of an index one after the other, as their entries come.
 * @param known of an earlier reading
 * @returns undefined: the document at the address is the same as then
 * @throws BridgeError where the document at the address itself cannot be read to its end
 */
export async function readTree(
  port: SourcePort,
  uri: string,
  visitor: TreeVisitor,
  remarks: Remarks,
  known: Validators = {},
): Promise<ReadTree | undefined> {
  const reading = new TreeReading(uri, port, visitor, remarks);
  const top = await reading.read(uri, known);
  if (top === undefined) return undefined;
  await reading.readRest(top, 1);
  const { validators, servedAt, document } = top;
  const { isPaged, documents } = reading;
  return {
    times: document.times,
    validators: isPaged ? {} : validators,
    servedAt,
    documents,
    isPaged,
    faults: [...reading.faults, ...reading.moments.faults()],
  };
}

/** Where a document lies that is not the one at the address. */
interface PlaceInTree {
  /** What it follows, and is like. */
  readonly before?: SourceDocument;
  /** That its index tells of, or the page that others follow. */
  readonly moment?: string | undefined;
}

class TreeReading {
  documents = 0;
  isPaged = false;
  readonly faults: Fault[] = [];
  readonly moments = new PartMoments();
  readonly #port: SourcePort;
  readonly #visitor: TreeVisitor;
  readonly #remarks: Remarks;
  readonly #visited = new Set<string>();
  readonly #top: string;
  #expected: Capability | undefined;

  /** @param top where it begins */
  constructor(top: string, port: SourcePort, visitor: TreeVisitor, remarks: Remarks) {
    this.#top = top;
    this.#port = port;
    this.#visitor = visitor;
    this.#remarks = remarks;
    this.#expected = visitor.capability;
  }

  async read(
    uri: string,
    known: Validators = {},
    place: PlaceInTree = {},
  ): Promise<FetchedDocument | undefined> {
    this.#visited.add(uri);
    const { before } = place;
    const kind = before === undefined || before.isIndex ? 'unknown' : 'list';
    const found = await this.#readAs(uri, known, kind, place);
    if (found === undefined) return undefined;
    this.documents += 1;
    if (found.document.isStated) this.#expected ??= found.document.capability;
    return found;
  }

  /**
   * What a document lists, and what follows it.
   * @param listed by the index that it is a part of: these have their turn
   */
  async readRest(first: FetchedDocument, depth: number, listed?: ReadonlySet<string>): Promise<void> {
    let page: FetchedDocument | undefined = first;
    while (page !== undefined) {
      await this.#readParts(page, depth);
      const { document }: FetchedDocument = page;
      const { uri, next }: SourceDocument = document;
      if (next === undefined || this.#visited.has(next) || listed?.has(next)) return;
      this.#remarks.at(uri)(
        'RS-GEN-06',
        'it goes on at its next link, where an index would name all documents',
      );
      this.isPaged = true;
      // It lies as deep as the page before it.
      page = this.#mayRead(next, depth - 1)
        ? await this.#readPart(next, { before: document, moment: first.document.times.at })
        : undefined;
    }
  }

  async #readParts({ document }: FetchedDocument, depth: number): Promise<void> {
    const listed = new Set(document.members.map(({ uri }) => uri));
    for (const member of document.members) {
      if (this.#visited.has(member.uri) || this.#visitor.wants?.(member) === false) continue;
      if (!this.#mayRead(member.uri, depth)) return;
      const { times } = document;
      const moment = member.times.at ?? times.at;
      const part = await this.#readPart(member.uri, { moment });
      if (part === undefined) continue;
      const { isIndex, times: own } = part.document;
      const { at } = own;
      if (at !== undefined) this.moments.add({ uri: member.uri, at, isIndex }, member, times);
      await this.readRest(part, depth + 1, listed);
    }
  }

  #mayRead(uri: string, depth: number): boolean {
    if (depth <= maximumDepth && this.documents < maximumDocuments) return true;
    const reason = depth > maximumDepth ? 'it lies too deep in indexes' : 'there are too many documents';
    this.faults.push({ uri, reason });
    return false;
  }

  /** Once more where that may help: parts are long, and connections break. */
  async #readPart(uri: string, place: PlaceInTree): Promise<FetchedDocument | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.read(uri, {}, place);
      } catch (error) {
        if (!isBridgeError(error) || error.code === 'interrupted') throw error;
        if (attempt === 1 && error.retryable) continue;
        this.faults.push({ uri, reason: describeError(error) });
        return undefined;
      }
    }
  }

  /** WEKO3 writes an index as a list, whose entries are lists. */
  async #readAs(
    uri: string,
    known: Validators,
    kind: 'unknown' | 'list' | 'index',
    place: PlaceInTree,
  ): Promise<FetchedDocument | undefined> {
    const members: Member[] = [];
    const expected = this.#expected;
    let opening: DocumentOpening | undefined;
    // Nobody is told of a list before it is known to be one.
    let announce: (() => void) | undefined;
    try {
      const fetched = await fetchDocument(
        this.#port,
        uri,
        {
          opened: (document, servedAt) => {
            opening = document;
            refuseOtherKind(uri, document, expected);
            if (!document.isIndex && kind !== 'index')
              announce = () => this.#visitor.opened?.(withMoment(document, place), servedAt);
          },
          statement: (statement) => {
            if (kind === 'index') {
              members.push(memberOf(statement, opening));
              return;
            }
            if (announce && kind === 'unknown' && looksLikeDocument(statement, opening, uri === this.#top))
              throw new MayBeIndex(statement.loc);
            if (announce) refuseOtherKind(uri, opening, expected, statement.change !== undefined);
            announce?.();
            announce = undefined;
            this.#visitor.statement(statement);
          },
          linkReading: this.#visitor.linkReading ?? 'now',
        },
        this.#remarks.at(uri),
        known,
      );
      if (fetched === undefined) return undefined;
      const { document: read } = fetched;
      refuseSilence(uri, read, members.length + read.members.length + read.statements, expected);
      announce?.();
      if (kind !== 'index') return fetched;
      const document = { ...read, isIndex: true, members, statements: 0 };
      return { ...fetched, document };
    } catch (error) {
      if (!(error instanceof MayBeIndex)) throw error;
      const isIndex = await this.#isDocument(error.loc, opening);
      if (isIndex) this.#remarks.at(uri)('RS-GEN-06', 'it is an index, and is written as a list');
      return this.#readAs(uri, known, isIndex ? 'index' : 'list', place);
    }
  }

  async #isDocument(uri: string, opening: DocumentOpening | undefined): Promise<boolean> {
    try {
      const head = await headOf(uri, this.#port, () => undefined);
      return head.capability === opening?.capability;
    } catch (error) {
      if (!isBridgeError(error) || error.code === 'interrupted') throw error;
      return false;
    }
  }
}

/** What says nothing of its time is of that of its index; a page is of that of the first. */
function withMoment(document: DocumentOpening, { before, moment }: PlaceInTree): DocumentOpening {
  const { capability, times } = document;
  if (moment === undefined || capability !== 'resourcelist') return document;
  if (before === undefined && times.at !== undefined) return document;
  return { ...document, times: { ...times, at: moment } };
}

/** Ends reading until it is known what the entries are. */
class MayBeIndex extends Error {
  readonly loc: string;

  constructor(loc: string) {
    super(`${loc} may be a document`);
    this.loc = loc;
  }
}

/** @param isTop nothing has named it as a list */
function looksLikeDocument(
  statement: Statement,
  opening: DocumentOpening | undefined,
  isTop: boolean,
): boolean {
  const { change, hashes, length, type, loc } = statement;
  if (opening?.capability === 'changelist') return change === undefined;
  if (opening?.capability !== 'resourcelist') return false;
  // That is said of the bytes of a resource.
  if (hashes.length > 0 || length !== undefined || type !== undefined) return false;
  return /list[^/]*\.xml(?:\.gz)?$/i.test(loc) || (isTop && opening.isStated && mayBeXml.test(loc));
}

/** By its name, which may have no ending. */
const mayBeXml = /\/[^/.]*$|\.xml(?:\.gz)?$/i;

function memberOf({ loc }: Statement, opening: DocumentOpening | undefined): Member {
  return {
    uri: loc,
    capability: opening?.capability,
    times: { at: undefined, from: undefined, until: undefined },
    length: undefined,
    hashes: [],
    contents: undefined,
  };
}
