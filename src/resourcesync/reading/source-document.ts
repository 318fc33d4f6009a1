import { BridgeError } from '../../core/errors.ts';
import {
  type Attributes,
  type DocumentEntry,
  type LinkReading,
  noAttributes,
} from '../documents/document-model.ts';
import { readDocument } from '../documents/document-reader.ts';
import { readLaterLinks } from '../documents/plain-entry.ts';
import type { Report } from '../documents/report.ts';
import { type Capability, capabilityOf, meantCapability } from './capability.ts';
import { statedHashes } from './stated-hash.ts';
import { statedTime } from './stated-time.ts';
import { absoluteUri, readStatement, relationOf, type Statement } from './statement.ts';

/** A document of a Source as it is meant, whatever it looks like. Times are ISO UTC seconds. */
export interface SourceDocument {
  /** Where it was found. */
  readonly uri: string;
  readonly capability: Capability;
  /** False: it says nothing of what it is, and was read by what is in it. */
  readonly isStated: boolean;
  /** It lists documents of its own kind. */
  readonly isIndex: boolean;
  readonly times: Interval;
  /** Links of the document itself, the first of each relation. */
  readonly up: string | undefined;
  readonly index: string | undefined;
  /** What goes on where this one ends: some Sources hand out a list page by page, without an index. */
  readonly next: string | undefined;
  /** Documents and packages that it lists; empty where it lists resources. */
  readonly members: readonly Member[];
  /** Resources that it lists. */
  readonly statements: number;
}

/** `at` is of snapshots, `from` of changes; a Source may state each wrongly, as the other. */
export interface Interval {
  readonly at: string | undefined;
  readonly from: string | undefined;
  readonly until: string | undefined;
  /** When the snapshot had ended. */
  readonly completed?: string | undefined;
}

export interface Member {
  readonly uri: string;
  readonly capability: Capability | undefined;
  readonly times: Interval;
  readonly length: number | undefined;
  readonly hashes: readonly string[];
  /** Of a package: its manifest, outside of it. */
  readonly contents: string | undefined;
}

/** What is known of a document before what it lists. */
export type DocumentOpening = Omit<SourceDocument, 'members' | 'statements'>;

export interface StatementHandler {
  /**
   * Before the first statement.
   * @param servedAt the server's clock, where the document came from a server that says so
   */
  opened?(document: DocumentOpening, servedAt?: string): void;
  statement?(statement: Statement): void;
  /** Of statements. Default: now. */
  readonly linkReading?: LinkReading;
}

/** More than a set has; whoever lists more is no Source. */
const maximumMembers = 100_000;

/**
 * Reads a document from its bytes; resources are handed on one by one, in the order of the document.
 * @param uri where it was found: what is relative in it is relative to that
 * @throws BridgeError `upstream-not-xml` where it is damaged; what stood before was handed on; `upstream-html` for a web
 * page; `upstream-protocol` for anything else that is no document of ResourceSync and no Sitemap
 */
export async function parseSourceDocument(
  bytes: AsyncIterable<Uint8Array>,
  uri: string,
  handler: StatementHandler,
  report: Report,
): Promise<SourceDocument> {
  // What is wrong first is the cause of the rest.
  let damage: string | undefined;
  const noted: Report = (rules, message, severity) => {
    if (rules === 'RS-GEN-19' && severity === 'error') damage ??= message;
    report(rules, message, severity);
  };
  const draft = new Draft(uri, handler, noted);
  const read = await readDocument(bytes, draft, noted, {
    forgiving: true,
    linkReading: handler.linkReading,
  });
  draft.refuseOther();
  if (!read.whole) throw new BridgeError('upstream-not-xml', `${uri}: ${damage ?? 'it ended early'}`);
  return draft.finish();
}

class Draft {
  readonly #uri: string;
  readonly #handler: StatementHandler;
  readonly #report: Report;
  #root = '';
  #md: Attributes = noAttributes;
  #links: readonly Attributes[] = [];
  #opened: DocumentOpening | undefined;
  #refusal: string | undefined;
  readonly #members: Member[] = [];
  #statements = 0;

  constructor(uri: string, handler: StatementHandler, report: Report) {
    this.#uri = uri;
    this.#handler = handler;
    this.#report = report;
  }

  head({ root, md, links }: { root: string; md: readonly Attributes[]; links: readonly Attributes[] }): void {
    this.#root = root;
    this.#md = md[0] ?? noAttributes;
    this.#links = links;
  }

  entry(entry: DocumentEntry): void {
    const opened = this.#open(entry);
    if (opened === undefined) return;
    if (opened.isIndex || !listsResources(opened.capability)) {
      const member = readMember(entry, this.#uri, this.#report);
      if (member !== undefined && this.#members.length < maximumMembers) this.#members.push(member);
      return;
    }
    const withoutLinks = this.#handler.linkReading === 'left-out';
    const statement = readStatement(entry, this.#uri, this.#report, withoutLinks);
    if (statement === undefined) return;
    this.#statements += 1;
    this.#handler.statement?.(statement);
  }

  refuseOther(): void {
    if (this.#root === 'html')
      throw new BridgeError('upstream-html', `${this.#uri} is a web page, no list of a Source`);
    if (this.#root !== '' && this.#root !== 'urlset' && this.#root !== 'sitemapindex')
      throw new BridgeError('upstream-protocol', `${this.#uri} is no document of ResourceSync`);
    if (this.#refusal !== undefined) throw new BridgeError('upstream-protocol', this.#refusal);
  }

  finish(): SourceDocument {
    const opened = this.#open(undefined);
    this.refuseOther();
    if (opened === undefined)
      throw new BridgeError('upstream-protocol', `${this.#uri} is no document of ResourceSync`);
    return { ...opened, members: this.#members, statements: this.#statements };
  }

  /** With the first entry, for it may be what tells what this is. */
  #open(first: DocumentEntry | undefined) {
    if (this.#opened !== undefined || this.#refusal !== undefined) return this.#opened;
    if (this.#root !== 'urlset' && this.#root !== 'sitemapindex') return undefined;
    const known = capabilityOf(this.#md, first, this.#report);
    if (known === undefined) {
      this.#refusal = `${this.#uri} has the capability ${this.#md.get('capability')}, which is not read`;
      return undefined;
    }
    this.#opened = {
      uri: this.#uri,
      ...known,
      isIndex: this.#root === 'sitemapindex',
      times: readInterval(this.#md, known.capability, this.#report),
      up: this.#linkTo('up') ?? this.#linkTo('resourcesync'),
      index: this.#linkTo('index'),
      next: this.#linkTo('next'),
    };
    this.#handler.opened?.(this.#opened);
    return this.#opened;
  }

  #linkTo(relation: string): string | undefined {
    const href = this.#links.find((link) => relationOf(link.get('rel')) === relation)?.get('href');
    return href === undefined ? undefined : absoluteUri(href, this.#uri, this.#report);
  }
}

export function listsResources(capability: Capability): boolean {
  return capability === 'resourcelist' || capability === 'changelist' || /dump-manifest$/.test(capability);
}

function isOfChanges(capability: Capability | undefined): boolean {
  return capability?.startsWith('change') === true;
}

/** DSpace's module and others write `from` for `at`, and the other way round. */
function readInterval(md: Attributes, capability: Capability, report: Report): Interval {
  const read = (name: string) => statedTime(md.get(name), name, 'RS-TIME-01', report);
  const [at, from, until] = [read('at'), read('from'), read('until')];
  if (isOfChanges(capability)) {
    if (from === undefined && at !== undefined) report('RS-CL-02', `it has at, where from should be`);
    return { at: undefined, from: from ?? at, until: until ?? read('completed') };
  }
  if (at === undefined && from !== undefined && listsResources(capability))
    report('RS-RL-02', 'it has from, where at should be');
  return { at: at ?? from, from: undefined, until: undefined, completed: read('completed') };
}

function readMember(entry: DocumentEntry, base: string, report: Report): Member | undefined {
  const uri = absoluteUri(entry.locs[0] ?? '', base, report);
  if (uri === undefined) return undefined;
  const [md = noAttributes] = entry.md;
  const read = (name: string) => statedTime(md.get(name), name, 'RS-TIME-01', report);
  const links = entry.unreadLinks === '' ? entry.links : readLaterLinks(entry.unreadLinks);
  const contents = links.find((link) => relationOf(link.get('rel')) === 'contents')?.get('href');
  const length = md.get('length');
  return {
    uri,
    capability: meantCapability(md.get('capability')),
    times: { at: read('at'), from: read('from'), until: read('until') },
    length: length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined,
    hashes: statedHashes(md.get('hash'), report),
    contents: contents === undefined ? undefined : absoluteUri(contents, base, report),
  };
}
