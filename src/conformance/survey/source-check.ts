import type { DocumentEntry, DocumentHead } from '../../resourcesync/documents/document-model.ts';
import { type DocumentKind, isArchive, isResourceKind, setCapabilities } from '../documents/document-kind.ts';
import { type Finding, FindingList } from '../documents/finding.ts';
import { type CheckedDocument, checkDocument } from '../rules/document-check.ts';
import { SetInventory } from './set-inventory.ts';
import {
  documentAt,
  hasMembers,
  leadsDown,
  listsUnder,
  type Member,
  type SurveyedDocument,
} from './survey.ts';
import { surveyRules } from './survey-rules.ts';
import { checkUniformity } from './uniformity-rules.ts';

/**
 * Where documents come from: HTTP for `validate`, a publication for tests.
 * @returns undefined where there is none
 * @throws whatever makes reading impossible; inside the walk it ends it
 */
export type FetchDocument = (uri: string) => Promise<AsyncIterable<Uint8Array> | undefined>;

/** Thrown by what is fetched where it ends too early. */
export class CutShort extends Error {}

/** A document whose head has been read, to those who want to see its entries. */
export interface OpenedDocument {
  readonly uri: string;
  readonly kind: DocumentKind | undefined;
  readonly head: DocumentHead;
  /** The Capability List of its set; see `SurveyedDocument`. */
  readonly set: string | undefined;
  /** An archive led here: what it says is no longer so. */
  readonly archived: boolean;
}

export interface WalkOptions {
  readonly maximumDocuments?: number;
  /** Findings of one rule in one document. */
  readonly maximumFindings?: number;
  /** Resources of one set; with more of them, sets are not compared. */
  readonly maximumResources?: number;
  /** False: the first document alone. */
  readonly follow?: boolean;
  /** Why there is nothing at a URI. */
  readonly reasonOf?: (uri: string) => string | undefined;
  readonly observe?: (document: OpenedDocument) => ((entry: DocumentEntry) => void) | undefined;
  readonly onDocument?: (uri: string, document: CheckedDocument | undefined) => void;
  /** @param known documents that were read, and those that they name */
  readonly onProgress?: (read: number, known: number) => void;
}

export interface CheckedUri {
  readonly uri: string;
  /** Undefined where nothing answered. */
  readonly document: CheckedDocument | undefined;
  /** Of the document itself, and of what it says of others. */
  readonly findings: readonly Finding[];
}

/** What comes first is read first: Resource Lists before the changes that are held against them. */
const ranks = ['capabilitylist', 'resourcelist', 'resourcedump', 'changelist', 'changedump'];

interface Step {
  readonly uri: string;
  readonly rank: number;
  readonly archived: boolean;
  /** The Capability List that led here. */
  readonly set: string | undefined;
}

/** A walk through a Source, and what has been learned on it. */
export class SourceWalk {
  readonly survey = new Map<string, SurveyedDocument>();
  readonly inventories = new Map<string, SetInventory>();
  readonly #checked = new Map<string, CheckedDocument | undefined>();
  readonly #known = new Set<string>();
  readonly #fetch: FetchDocument;
  readonly #options: WalkOptions;
  readonly #queues: Step[][] = ranks.map(() => []);
  /** Their responses were cut short: what came is no document to be judged. */
  readonly broken = new Set<string>();
  /** There was more to read than `maximumDocuments`. */
  cut = false;

  constructor(fetch: FetchDocument, options: WalkOptions = {}) {
    this.#fetch = fetch;
    this.#options = options;
    this.#queues.push([]);
  }

  /** Reads a document and, unless told otherwise, all that it leads to: upwards, downwards, to its index. */
  async from(start: string): Promise<void> {
    const { maximumDocuments = 10_000, follow = true, onProgress } = this.#options;
    this.#enqueue({ uri: start, rank: 0, archived: false, set: undefined });
    for (let step = this.#next(); step !== undefined; step = this.#next()) {
      if (this.#checked.has(step.uri)) continue;
      if (this.#checked.size >= maximumDocuments) {
        this.cut = true;
        return;
      }
      const surveyed = await this.#visit(step);
      if (surveyed && follow) this.#follow(surveyed, step);
      onProgress?.(this.#checked.size, Math.min(this.#known.size, maximumDocuments));
    }
  }

  /** To be called for every document whose entries are read, by the walk itself or, for manifests, by others. */
  observe(document: OpenedDocument): (entry: DocumentEntry) => void {
    const { uri, kind, head, set, archived } = document;
    const observers = [this.#options.observe?.(document)];
    if (set !== undefined && !archived && isResourceKind(kind)) {
      observers.push(this.#inventoryOf(set).observe(uri, kind, head));
    }
    const [first, second] = observers.filter((observer) => observer !== undefined);
    return (entry) => {
      first?.(entry);
      second?.(entry);
    };
  }

  /** What was read of a document is not all of it: nothing may be concluded from what it does not hold. */
  forget(uri: string): void {
    for (const inventory of this.inventories.values()) inventory.read.delete(uri);
  }

  /** Everything found, with the rules between documents. */
  conclude(): readonly CheckedUri[] {
    const { reasonOf = () => undefined, maximumFindings = 100 } = this.#options;
    const visited = { has: (uri: string) => this.#checked.has(uri) && !this.broken.has(uri) };
    const context = { survey: this.survey, visited, reasonOf };
    return [...this.#checked].map(([uri, document]) => {
      const surveyed = this.survey.get(uri);
      if (!surveyed) return { uri, document, findings: document?.findings ?? [] };
      const list = new FindingList(maximumFindings);
      const at = (place: string) => {
        list.place = () => place;
        return list.report;
      };
      // A document that stands alone says nothing about others.
      if (this.#options.follow !== false) surveyRules(surveyed, context, at);
      const inventory = this.inventories.get(uri);
      if (inventory && surveyed.kind === 'CAP') {
        checkUniformity(inventory, this.#documentsOf(surveyed), at('document'));
      }
      return { uri, document, findings: [...(document?.findings ?? []), ...list.findings] };
    });
  }

  #documentsOf(capabilityList: SurveyedDocument) {
    const under = (capability: string) => listsUnder(capabilityList, capability, this.survey);
    const uris = (lists: readonly SurveyedDocument[] | undefined) => lists?.map(({ uri }) => uri);
    const packages = under('resourcedump')?.flatMap(({ members }) => members);
    const { read } = this.#inventoryOf(capabilityList.uri);
    return {
      resourceLists: uris(under('resourcelist')),
      // A manifest may have been read from its package, or from its copy.
      manifests: packages?.map(({ loc, contents }) =>
        contents !== undefined && read.has(contents) ? contents : loc,
      ),
      changeLists: uris(under('changelist')),
    };
  }

  #inventoryOf(set: string): SetInventory {
    const { maximumResources = 2_000_000 } = this.#options;
    const inventory = this.inventories.get(set) ?? new SetInventory(maximumResources);
    this.inventories.set(set, inventory);
    return inventory;
  }

  async #visit(step: Step): Promise<SurveyedDocument | undefined> {
    const { uri } = step;
    const chunks = await this.#fetch(uri);
    const read = chunks && (await this.#read(chunks, step));
    const surveyed = read && documentAt(uri, read.document, read.members, read.set);
    if (surveyed) this.survey.set(uri, surveyed);
    if (!surveyed?.whole) this.forget(uri);
    this.#checked.set(uri, read?.document);
    this.#options.onDocument?.(uri, read?.document);
    return surveyed;
  }

  /** @returns undefined where the response was cut short */
  async #read(chunks: AsyncIterable<Uint8Array>, { uri, archived, set: parent }: Step) {
    const members: Member[] = [];
    let observer: ((entry: DocumentEntry) => void) | undefined;
    let set = parent;
    try {
      const document = await checkDocument(chunks, {
        maximumFindings: this.#options.maximumFindings,
        onHead: (head, kind) => {
          set = this.#setOf(head, parent);
          observer = this.observe({ uri, kind, head, set, archived });
        },
        onEntry: (entry, kind) => {
          if (kind === undefined || hasMembers(kind)) members.push(toMember(entry));
          observer?.(entry);
        },
      });
      return { document, members, set };
    } catch (error) {
      if (!(error instanceof CutShort)) throw error;
      this.broken.add(uri);
      return undefined;
    }
  }

  /** A wrong `up` does not take a list out of its set; a right one names it, wherever the list was found. */
  #setOf({ links }: DocumentHead, parent: string | undefined): string | undefined {
    const up = links.find((link) => link.get('rel') === 'up')?.get('href');
    return parent === undefined || (up !== undefined && this.survey.get(up)?.kind === 'CAP') ? up : parent;
  }

  #follow({ kind, uri, md, up, index, members }: SurveyedDocument, step: Step): void {
    const set = kind === 'CAP' ? uri : step.set;
    if (up !== undefined) this.#enqueue({ uri: up, rank: 0, archived: false, set: undefined });
    if (index !== undefined) this.#enqueue({ ...step, uri: index });
    const archived = step.archived || isArchive(kind);
    for (const { loc, md: own, contents } of members) {
      const capability = own.get('capability') ?? md.get('capability') ?? '';
      // Other specifications' capabilities lead to what is no document (RS-CAP-14).
      if (kind === 'CAP' && !setCapabilities.includes(capability)) continue;
      const rank = ranks.indexOf(capability);
      if (leadsDown(kind)) this.#enqueue({ uri: loc, rank, archived, set });
      else if (contents !== undefined) this.#enqueue({ uri: contents, rank: step.rank, archived, set });
    }
  }

  /** Only an absolute URI can be asked for; what else stands there is a finding already. */
  #enqueue(step: Step): void {
    if (!URL.canParse(step.uri) || this.#checked.has(step.uri)) return;
    this.#known.add(step.uri);
    const last = this.#queues.length - 1;
    const rank = step.archived || step.rank === -1 ? last : step.rank;
    this.#queues[rank]?.push(step);
  }

  #next(): Step | undefined {
    return this.#queues.find((queue) => queue.length > 0)?.shift();
  }
}

function toMember({ locs: [loc = ''], md: [md = new Map()], links }: DocumentEntry): Member {
  const link = (rel: string) => links.find((one) => one.get('rel') === rel)?.get('href');
  return { loc, md, contents: link('contents'), hub: link('hub') };
}

/**
 * Checks a Source from any of its documents on: what it leads to upwards, downwards and to its index, each by
 * itself and all against one another.
 */
export async function checkSource(
  start: string,
  fetch: FetchDocument,
  options: WalkOptions = {},
): Promise<readonly CheckedUri[]> {
  const walk = new SourceWalk(fetch, options);
  await walk.from(start);
  return walk.conclude();
}
