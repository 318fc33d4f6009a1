import { describeError, isBridgeError } from '../../core/errors.ts';
import type { SourcePort } from '../source-port.ts';
import { headOf } from './document-head.ts';
import { type FetchedDocument, fetchDocument, type Validators } from './fetched-document.ts';
import type { Remarks } from './remarks.ts';
import type { DocumentOpening, Interval, Member } from './source-document.ts';
import type { Statement } from './statement.ts';

/** Told what a list says, or an index with all its parts. */
export interface TreeVisitor {
  /** For each document of resources, before its first statement. */
  opened?(document: DocumentOpening, servedAt: string | undefined): void;
  statement(statement: Statement): void;
  /** False: this part is of no interest. */
  wants?(member: Member): boolean;
}

export interface ReadTree {
  /** Of the document at the address itself. */
  readonly times: Interval;
  readonly validators: Validators;
  readonly servedAt: string | undefined;
  /** Documents that were read to their ends. */
  readonly documents: number;
  /** Parts that could not be read, and why: without them nothing can be called absent. */
  readonly faults: readonly { readonly uri: string; readonly reason: string }[];
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
  const reading = new TreeReading(port, visitor, remarks);
  const top = await reading.read(uri, known);
  if (top === undefined) return undefined;
  await reading.readParts(top, 1);
  const { validators, servedAt, document } = top;
  return {
    times: document.times,
    validators,
    servedAt,
    documents: reading.documents,
    faults: reading.faults,
  };
}

class TreeReading {
  documents = 0;
  readonly faults: { uri: string; reason: string }[] = [];
  readonly #port: SourcePort;
  readonly #visitor: TreeVisitor;
  readonly #remarks: Remarks;
  readonly #visited = new Set<string>();

  constructor(port: SourcePort, visitor: TreeVisitor, remarks: Remarks) {
    this.#port = port;
    this.#visitor = visitor;
    this.#remarks = remarks;
  }

  async read(uri: string, known: Validators = {}): Promise<FetchedDocument | undefined> {
    this.#visited.add(uri);
    const found = await this.#readAs(uri, known, 'unknown');
    if (found !== undefined) this.documents += 1;
    return found;
  }

  async readParts({ document }: FetchedDocument, depth: number): Promise<void> {
    for (const member of document.members) {
      if (this.#visited.has(member.uri) || this.#visitor.wants?.(member) === false) continue;
      if (depth > maximumDepth || this.documents >= maximumDocuments) {
        const reason = depth > maximumDepth ? 'it lies too deep in indexes' : 'there are too many documents';
        this.faults.push({ uri: member.uri, reason });
        return;
      }
      const part = await this.#readPart(member.uri);
      if (part !== undefined) await this.readParts(part, depth + 1);
    }
  }

  /** Once more where that may help: parts are long, and connections break. */
  async #readPart(uri: string): Promise<FetchedDocument | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.read(uri);
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
  ): Promise<FetchedDocument | undefined> {
    const members: Member[] = [];
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
            if (!document.isIndex && kind !== 'index')
              announce = () => this.#visitor.opened?.(document, servedAt);
          },
          statement: (statement) => {
            if (kind === 'index') {
              members.push(memberOf(statement, opening));
              return;
            }
            if (announce && kind === 'unknown' && looksLikeDocument(statement, opening))
              throw new MayBeIndex(statement.loc);
            announce?.();
            announce = undefined;
            this.#visitor.statement(statement);
          },
        },
        this.#remarks.at(uri),
        known,
      );
      announce?.();
      if (fetched === undefined || kind !== 'index') return fetched;
      const document = { ...fetched.document, isIndex: true, members, statements: 0 };
      return { ...fetched, document };
    } catch (error) {
      if (!(error instanceof MayBeIndex)) throw error;
      const isIndex = await this.#isDocument(error.loc, opening);
      if (isIndex) this.#remarks.at(uri)('RS-GEN-06', 'it is an index, and is written as a list');
      return this.#readAs(uri, known, isIndex ? 'index' : 'list');
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

/** Ends reading until it is known what the entries are. */
class MayBeIndex extends Error {
  readonly loc: string;

  constructor(loc: string) {
    super(`${loc} may be a document`);
    this.loc = loc;
  }
}

function looksLikeDocument(statement: Statement, opening: DocumentOpening | undefined): boolean {
  const { change, hashes, length, type, loc } = statement;
  if (opening?.capability === 'changelist') return change === undefined;
  if (opening?.capability !== 'resourcelist') return false;
  return (
    hashes.length === 0 && length === undefined && type === undefined && /list[^/]*\.xml(?:\.gz)?$/i.test(loc)
  );
}

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
