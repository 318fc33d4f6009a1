import type { CheckedDocument } from './document-check.ts';
import { type DocumentKind, documentKinds } from './document-kind.ts';
import type { Attributes } from './document-model.ts';
import type { Finding } from './finding.ts';
import { toTime } from './time-rules.ts';

/** Rules between documents. */

export interface SurveyedDocument {
  readonly uri: string;
  readonly kind: DocumentKind | undefined;
  readonly md: Attributes;
  readonly up: string | undefined;
  readonly index: string | undefined;
  /** Of descriptions, Capability Lists and indexes. */
  readonly members: readonly { readonly loc: string; readonly md: Attributes }[];
}

type Survey = ReadonlyMap<string, SurveyedDocument>;
type Add = (rule: string, severity: Finding['severity'], place: string, message: string) => void;

export function documentAt(
  uri: string,
  { kind, head }: CheckedDocument,
  members: SurveyedDocument['members'],
): SurveyedDocument {
  const link = (rel: string) => head?.links.find((candidate) => candidate.get('rel') === rel)?.get('href');
  return { uri, kind, md: head?.md[0] ?? new Map(), up: link('up'), index: link('index'), members };
}

/** @param visited every URI that was asked for, whether it answered or not */
export function surveyRules(
  document: SurveyedDocument,
  survey: Survey,
  visited: ReadonlyMap<string, unknown>,
): readonly Finding[] {
  const findings: Finding[] = [];
  const add: Add = (rule, severity, place, message) => findings.push({ rule, severity, place, message });
  checkUpwards(document, survey, visited, add);
  checkClosure(document, survey, add);
  for (const [number, member] of document.members.entries()) {
    const place = `entry ${number + 1}: ${member.loc}`;
    if (!visited.has(member.loc)) continue;
    checkMember(document, member, survey.get(member.loc), place, add);
  }
  if (document.kind === 'CLI') checkGaps(document, add);
  return findings;
}

/** RS-NAV-01, RS-NAV-02. */
function checkUpwards(
  document: SurveyedDocument,
  survey: Survey,
  visited: ReadonlyMap<string, unknown>,
  add: Add,
): void {
  const { up, kind } = document;
  if (up === undefined || kind === undefined || kind === 'SD' || !visited.has(up)) return;
  const expected = kind === 'CAP' ? 'SD' : 'CAP';
  const found = survey.get(up)?.kind;
  if (found !== expected) add('RS-NAV-01', 'error', 'document', `up leads to ${found ?? 'nothing'}: ${up}`);
  let top: SurveyedDocument | undefined = document;
  for (let hops = 0; hops < 3 && top && top.kind !== 'SD'; hops += 1) {
    top = top.up === undefined ? undefined : survey.get(top.up);
  }
  if (top?.kind !== 'SD') add('RS-NAV-02', 'error', 'document', 'up does not lead to a Source Description');
}

/** RS-NAV-07: the Capability List above lists the document, or the index that it is under. */
function checkClosure(document: SurveyedDocument, survey: Survey, add: Add): void {
  const { kind, up, uri, index } = document;
  const above = up === undefined ? undefined : survey.get(up);
  if (!kind || above?.kind !== 'CAP' || kind === 'RDM' || kind === 'CDM') return;
  const { capability } = documentKinds[kind];
  const listed = above.members.find(({ md }) => md.get('capability') === capability)?.loc;
  if (listed !== uri && (index === undefined || listed !== index)) {
    add('RS-NAV-07', 'warning', 'document', `the Capability List above lists ${listed ?? 'nothing'} instead`);
  }
}

const missing: Readonly<Partial<Record<DocumentKind, string>>> = {
  SD: 'RS-SD-04',
  CAP: 'RS-CAP-07',
  RLI: 'RS-RLI-06',
  CLI: 'RS-CLI-05',
};

function checkMember(
  document: SurveyedDocument,
  { loc, md }: SurveyedDocument['members'][number],
  target: SurveyedDocument | undefined,
  place: string,
  add: Add,
): void {
  const { kind } = document;
  if (!kind) return;
  if (!target) {
    add(missing[kind] ?? 'RS-NAV-05', 'error', place, 'nothing is there');
    return;
  }
  if (new URL(loc).origin !== new URL(document.uri).origin) {
    add('RS-NAV-09', 'warning', place, 'it is on another scheme, host or port');
  }
  const capability = target.md.get('capability');
  if (kind === 'SD' || kind === 'CAP') {
    if (capability !== md.get('capability')) {
      add('RS-NAV-05', 'error', place, `its capability is ${capability ?? 'missing'}`);
    }
    return;
  }
  if (capability !== documentKinds[kind].capability) {
    add('RS-GEN-05', 'error', place, `its capability is ${capability ?? 'missing'}`);
  }
  if (target.kind && documentKinds[target.kind].root !== 'urlset') {
    add('RS-GEN-06', 'error', place, 'an index is a member of an index');
  }
  if (target.index !== document.uri) {
    add('RS-NAV-03', 'warning', place, `its index link is ${target.index ?? 'missing'}`);
  }
  checkMemberTimes(kind, md, target.md, place, add);
}

/** What the index says of a list, the list says of itself. */
function checkMemberTimes(
  kind: DocumentKind,
  md: Attributes,
  own: Attributes,
  place: string,
  add: Add,
): void {
  const differs = (name: string) => md.has(name) && toTime(md.get(name)) !== toTime(own.get(name));
  if (kind === 'RLI' && (differs('at') || differs('completed'))) {
    add('RS-RLI-08', 'warning', place, 'at or completed differ from those of the list');
  }
  if (kind !== 'CLI' && kind !== 'CDI') return;
  if (differs('from')) add('RS-CLI-06', 'warning', place, 'from differs from that of the list');
  if (own.has('until') && !md.has('until'))
    add('RS-CLI-07', 'error', place, 'the list is closed; until is missing');
  if (!own.has('until') && md.has('until'))
    add('RS-CLI-08', 'error', place, 'the list is open; until is given');
  if (own.has('until') && differs('until'))
    add('RS-CLI-07', 'error', place, 'until differs from that of the list');
}

/** RS-CL-16. */
function checkGaps({ members }: SurveyedDocument, add: Add): void {
  for (const [number, { loc, md }] of members.entries()) {
    const until = toTime(members[number - 1]?.md.get('until'));
    if (until !== undefined && until !== toTime(md.get('from'))) {
      add(
        'RS-CL-16',
        'warning',
        `entry ${number + 1}: ${loc}`,
        'it does not begin where the list before it ended',
      );
    }
  }
}
