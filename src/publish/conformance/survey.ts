import type { CheckedDocument } from './document-check.ts';
import { type DocumentKind, documentKinds, isArchive, isIndex } from './document-kind.ts';
import { type Attributes, noAttributes } from './document-model.ts';

/** What a walk remembers of the documents it has read, for the rules between them. */

export interface Member {
  readonly loc: string;
  readonly md: Attributes;
  /** Of packages: a copy of the manifest. */
  readonly contents: string | undefined;
}

export interface SurveyedDocument {
  readonly uri: string;
  readonly kind: DocumentKind | undefined;
  readonly root: string | undefined;
  readonly md: Attributes;
  readonly up: string | undefined;
  readonly index: string | undefined;
  /** Of every document but lists of resources and manifests. */
  readonly members: readonly Member[];
  readonly whole: boolean;
}

export type Survey = ReadonlyMap<string, SurveyedDocument>;

export function documentAt(
  uri: string,
  { kind, head, whole }: CheckedDocument,
  members: readonly Member[],
): SurveyedDocument {
  const link = (rel: string) => head?.links.find((candidate) => candidate.get('rel') === rel)?.get('href');
  const md = head?.md[0] ?? noAttributes;
  return { uri, kind, root: head?.root, md, up: link('up'), index: link('index'), members, whole };
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
