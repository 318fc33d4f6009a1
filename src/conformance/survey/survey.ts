import { sitemapNamespace } from '../../core/sitemap.ts';
import {
  type Attributes,
  type DocumentHead,
  noAttributes,
} from '../../resourcesync/documents/document-model.ts';
import {
  capabilities,
  type DocumentKind,
  documentKinds,
  isArchive,
  isIndex,
} from '../documents/document-kind.ts';
import type { CheckedDocument } from '../rules/document-check.ts';

/** What a walk remembers of the documents it has read, for the rules between them. */

export interface Member {
  readonly loc: string;
  readonly md: Attributes;
  /** Of packages: a copy of the manifest. */
  readonly contents: string | undefined;
  /** Of a channel: where it is subscribed to. */
  readonly hub: string | undefined;
}

export interface SurveyedDocument {
  readonly uri: string;
  readonly kind: DocumentKind | undefined;
  /** It is meant to be a document of ResourceSync, and its own findings say why nobody can tell which. */
  readonly isUnclear: boolean;
  readonly root: string | undefined;
  readonly md: Attributes;
  readonly up: string | undefined;
  readonly index: string | undefined;
  /** The Capability List that led to it; where none did, or it names another one that is there: that of `up`. */
  readonly set: string | undefined;
  /** Of every document but lists of resources and manifests. */
  readonly members: readonly Member[];
  readonly whole: boolean;
}

export type Survey = ReadonlyMap<string, SurveyedDocument>;

export function documentAt(
  uri: string,
  { kind, head, whole }: CheckedDocument,
  members: readonly Member[],
  set: string | undefined,
): SurveyedDocument {
  const link = (rel: string) => head?.links.find((candidate) => candidate.get('rel') === rel)?.get('href');
  const md = head?.md[0] ?? noAttributes;
  const root = head?.root;
  const isUnclear =
    kind === undefined &&
    isSitemap(root) &&
    (!isNamed(head) || !capabilities.has(md.get('capability') ?? ''));
  const common = { uri, kind, isUnclear, root, md, up: link('up'), index: link('index'), set, whole };
  // Where the kind showed only at the end, entries of any kind were kept.
  return { ...common, members: kind === undefined || hasMembers(kind) ? members : [] };
}

function isSitemap(root: string | undefined): boolean {
  return root === 'urlset' || root === 'sitemapindex';
}

function isNamed(head: DocumentHead | undefined): boolean {
  return head?.namespace === sitemapNamespace && !head.misnamed;
}

/** What it lists is worth remembering: the entries of lists are many and lead to no document. */
export function hasMembers(kind: DocumentKind | undefined): boolean {
  return leadsDown(kind) || isDump(kind);
}

const listed = new WeakMap<SurveyedDocument, ReadonlySet<string>>();

/** Whether a document is among the members of another. */
export function doesList(document: SurveyedDocument, uri: string): boolean {
  const known = listed.get(document) ?? new Set(document.members.map(({ loc }) => loc));
  listed.set(document, known);
  return known.has(uri);
}

/** Its members are documents. */
export function leadsDown(kind: DocumentKind | undefined): boolean {
  return kind === 'SD' || kind === 'CAP' || isIndex(kind) || isArchive(kind);
}

export function isDump(kind: DocumentKind | undefined): kind is 'RD' | 'CD' {
  return kind === 'RD' || kind === 'CD';
}

/**
 * The lists that a Capability List offers under a capability: one, or those of its index.
 * @returns undefined where it offers none, or not all of them were read whole
 */
export function listsUnder(capabilityList: SurveyedDocument, capability: string, survey: Survey) {
  const uri = capabilityList.members.find(({ md }) => md.get('capability') === capability)?.loc;
  const top = uri === undefined ? undefined : survey.get(uri);
  if (!top?.kind || documentKinds[top.kind].capability !== capability) return undefined;
  const lists = isIndex(top.kind) ? top.members.map(({ loc }) => survey.get(loc)) : [top];
  const whole: SurveyedDocument[] = [];
  for (const list of lists) {
    if (!top.whole || !list?.whole || isIndex(list.kind)) return undefined;
    whole.push(list);
  }
  return whole;
}
