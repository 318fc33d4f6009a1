import type { Attributes } from '../../resourcesync/documents/document-model.ts';
import { documentKinds, isArchive, isIndex, rootRuleOf } from '../documents/document-kind.ts';
import type { Report } from '../documents/finding.ts';
import { describeKind } from '../rules/document-check.ts';
import { toTime } from '../rules/time-rules.ts';
import { doesList, isDump, type Member, type Survey, type SurveyedDocument } from './survey.ts';

/** Rules between documents: what leads where, and whether both ends agree. */
export interface SurveyContext {
  readonly survey: Survey;
  /** Every URI that was asked for, whether it answered or not. */
  readonly visited: { has(uri: string): boolean };
  /** Why nothing could be read there, if that is known. */
  readonly reasonOf: (uri: string) => string | undefined;
}

type At = (place: string) => Report;

export function surveyRules(document: SurveyedDocument, context: SurveyContext, at: At): void {
  const report = at('document');
  checkUpwards(document, context, report);
  checkIndexLink(document, context, report);
  checkClosure(document, context.survey, report);
  for (const [position, member] of document.members.entries()) {
    const place = at(`entry ${position + 1}: ${member.loc}`);
    if (isDump(document.kind)) checkContents(document, member, context, place);
    else if (context.visited.has(member.loc)) checkMember(document, member, context, place);
  }
  if (document.kind === 'CLI') checkGaps(document, at);
}

/** RS-NAV-01, RS-NAV-02. */
function checkUpwards(document: SurveyedDocument, context: SurveyContext, report: Report): void {
  const { survey, visited, reasonOf } = context;
  const { up, kind } = document;
  if (up === undefined || kind === undefined || kind === 'SD' || kind === 'SDI' || !visited.has(up)) return;
  const { upRules } = documentKinds[kind];
  const found = survey.get(up);
  if (found?.isUnclear) return;
  const right = kind === 'CAP' ? found?.kind === 'SD' || found?.kind === 'SDI' : found?.kind === 'CAP';
  if (!right) {
    const reason = found ? describeKind(found.kind) : (reasonOf(up) ?? 'nothing');
    report(`RS-NAV-01 ${upRules}`, `up leads to ${up}, and there is ${reason}`);
  }
  // From there on it is the Capability List's own.
  if (kind !== 'CAP' && found?.kind === 'CAP') return;
  let top: SurveyedDocument | undefined = document;
  for (let hops = 0; hops < 3 && top && !isDescription(top); hops += 1) {
    if (top.up !== undefined && !visited.has(top.up)) return;
    top = top.up === undefined ? undefined : survey.get(top.up);
    if (top?.isUnclear) return;
  }
  if (!top || !isDescription(top)) report('RS-NAV-02', 'up does not lead to a Source Description');
}

function isDescription({ kind }: SurveyedDocument): boolean {
  return kind === 'SD' || kind === 'SDI';
}

/** RS-NAV-03, from below: what calls something its index is listed there. */
function checkIndexLink({ index, kind }: SurveyedDocument, context: SurveyContext, report: Report): void {
  if (
    index === undefined ||
    !kind ||
    isIndex(kind) ||
    kind === 'RDM' ||
    kind === 'CDM' ||
    !context.visited.has(index)
  )
    return;
  const found = context.survey.get(index);
  if (!found) {
    report(
      'RS-NAV-03',
      `the index link leads to ${index}, and there is ${context.reasonOf(index) ?? 'nothing'}`,
    );
  } else if (!isIndex(found.kind) && !found.isUnclear) {
    report('RS-NAV-03', `the index link leads to ${index}, and there is ${describeKind(found.kind)}`);
  }
}

/** RS-NAV-07, RS-SD-03: what `up` leads to lists the document, or the index or archive that it is under. */
function checkClosure(document: SurveyedDocument, survey: Survey, report: Report): void {
  const { kind, up, uri, index } = document;
  const above = up === undefined ? undefined : survey.get(up);
  if (!kind || !above) return;
  if (kind === 'CAP') {
    // Its lists may call another one their own: then this is a second view of a set that is listed.
    const isView = document.members.some(({ loc }) => doesList(above, survey.get(loc)?.up ?? ''));
    if (above.kind === 'SD' && !doesList(above, uri) && !isView) {
      report('RS-SD-03', `the Source Description ${above.uri} does not list this Capability List`);
    }
    return;
  }
  if (above.kind !== 'CAP' || kind === 'RDM' || kind === 'CDM') return;
  const { capability } = documentKinds[kind];
  const listed = above.members.filter(({ md }) => md.get('capability') === capability);
  if (listed.some(({ loc }) => loc === uri || loc === index)) return;
  for (const other of survey.values()) {
    if (isArchive(other.kind) && (doesList(other, uri) || doesList(other, index ?? ''))) return;
    // That it does not name the index that lists it is RS-NAV-03.
    if (isIndex(other.kind) && doesList(other, uri) && listed.some(({ loc }) => loc === other.uri)) return;
  }
  report('RS-NAV-07', `the Capability List above lists ${listed[0]?.loc ?? 'nothing'} instead`);
}

function checkMember(
  document: SurveyedDocument,
  member: Member,
  context: SurveyContext,
  report: Report,
): void {
  const { kind } = document;
  if (!kind) return;
  const { locRule, capability: own } = documentKinds[kind];
  const target = context.survey.get(member.loc);
  if (!target) {
    const reason = context.reasonOf(member.loc) ?? 'nothing is there';
    report(locRule === 'RS-CLI-05' ? 'RS-CLI-05 RS-NAV-05' : locRule, reason, 'error');
    return;
  }
  // Why nobody can tell what it is has been said there.
  if (target.isUnclear) return;
  if (originOf(member.loc) !== originOf(document.uri)) {
    report('RS-NAV-09', 'it is on another scheme, host or port');
  }
  const capability = target.md.get('capability');
  if (kind === 'SDI') {
    const isMisplaced = member.md.get('capability') === 'capabilitylist' && target.kind === 'CAP';
    if (target.kind !== 'SD' && !isMisplaced) report('RS-SD-08', `there is ${describeKind(target.kind)}`);
  } else if (kind === 'SD' || kind === 'CAP') {
    const expected = kind === 'SD' ? 'capabilitylist' : member.md.get('capability');
    if (expected !== undefined && capability !== expected) {
      report(
        withRoot(`RS-NAV-05 ${locRule}`, target, expected),
        `its capability is ${capability ?? 'missing'}, not ${expected}`,
      );
    }
  } else if (isArchive(kind)) {
    checkArchived(document, member, target, report);
  } else {
    if (capability !== own) {
      report(
        withRoot(`RS-GEN-05 ${locRule}`, target, own),
        `its capability is ${capability ?? 'missing'}, not ${own}`,
        'error',
      );
      return;
    }
    if (isIndex(target.kind)) {
      report('RS-GEN-06', 'an index is a member of an index');
      return;
    }
    if (target.index !== document.uri) {
      report(
        `RS-NAV-03${indexRules[kind] ?? ''}`,
        `its index link is ${target.index ?? 'missing'}`,
        'warning',
      );
    }
    checkMemberTimes(document, member.md, target.md, report);
  }
}

/** The target's own rule about its root is broken as well. */
function withRoot(rules: string, { root }: SurveyedDocument, capability: string): string {
  const rule = rootRuleOf(root, capability);
  return rule === undefined || rules.includes(rule) ? rules : `${rules} ${rule}`;
}

const indexRules: Readonly<Record<string, string>> = {
  RLI: ' RS-RL-05',
  RDI: ' RS-RD-04',
  CLI: ' RS-CL-07',
};

/** AR-05: archives hold documents of the capability that they are named after; their indexes hold archives. */
function checkArchived(
  { kind, uri }: SurveyedDocument,
  { md }: Member,
  target: SurveyedDocument,
  report: Report,
): void {
  if (!kind) return;
  const own = documentKinds[kind].capability;
  const expected = isIndex(kind) ? own : own.replace('-archive', '');
  const capability = target.md.get('capability');
  if (capability !== expected) {
    report(
      isIndex(kind) ? 'AR-10' : 'AR-05',
      `its capability is ${capability ?? 'missing'}, not ${expected}`,
    );
    return;
  }
  if (isIndex(kind)) {
    if (target.index !== uri) report('AR-04', `its index link is ${target.index ?? 'missing'}`);
    return;
  }
  for (const name of ['at', 'completed', 'from', 'until']) {
    if (differ(md, target.md, name)) {
      report(/^(at|completed)$/.test(name) ? 'AR-07' : 'AR-08', `${name} differs from that of the document`);
    }
  }
}

/** RS-RD-12, RS-CD-09, as far as it shows without the package. */
function checkContents(
  document: SurveyedDocument,
  member: Member,
  context: SurveyContext,
  report: Report,
): void {
  const { contents, md } = member;
  if (contents === undefined || !context.visited.has(contents)) return;
  const rule = document.kind === 'RD' ? 'RS-RD-12' : 'RS-CD-09';
  const expected = document.kind === 'RD' ? 'RDM' : 'CDM';
  const target = context.survey.get(contents);
  if (target?.isUnclear) return;
  if (target?.kind !== expected) {
    const found = target ? describeKind(target.kind) : (context.reasonOf(contents) ?? 'nothing');
    report(rule, `contents leads to ${contents}, and there is ${found}`);
    return;
  }
  checkManifestTimes(document.kind, md, target.md, report);
}

/** What a dump says of a package, its manifest says of itself. */
export function checkManifestTimes(
  kind: SurveyedDocument['kind'],
  md: Attributes,
  own: Attributes,
  report: Report,
): void {
  const names = kind === 'RD' ? ['at', 'completed'] : ['from', 'until'];
  if (!own.has(names[0] ?? '')) return;
  for (const name of names) {
    if (!differ(md, own, name)) continue;
    const rule = kind === 'RD' ? 'RS-RDM-04' : 'RS-CD-07';
    const message = `${name} differs from that of the manifest, ${own.get(name) ?? 'which has none'}`;
    // When the snapshot was taken has to fit; its end is optional.
    report(rule, message, name === 'at' ? undefined : 'warning');
  }
}

/** What the index says of a list, the list says of itself. */
function checkMemberTimes({ kind }: SurveyedDocument, md: Attributes, own: Attributes, report: Report): void {
  // Without its beginning the other times mean nothing; that it is missing has been said.
  if (!own.has(kind === 'RLI' || kind === 'RDI' ? 'at' : 'from')) return;
  if (kind === 'RLI' || kind === 'RDI') {
    if (differ(md, own, 'at') || differ(md, own, 'completed')) {
      const rule = kind === 'RLI' ? 'RS-RLI-08' : 'RS-RDI-01';
      report(rule, 'at or completed differ from those of the list', 'warning');
    }
    return;
  }
  const [begins, ends, open] =
    kind === 'CLI' ? ['RS-CLI-06', 'RS-CLI-07', 'RS-CLI-08'] : ['RS-CDI-01', 'RS-CDI-01', 'RS-CDI-01'];
  if (differ(md, own, 'from')) report(begins, 'from differs from that of the list', 'warning');
  if (own.has('until') && !md.has('until')) report(ends, 'the list is closed; until is missing');
  else if (!own.has('until') && md.has('until')) report(open, 'the list is open; until is given');
  else if (differ(md, own, 'until')) report(ends, 'until differs from that of the list');
}

function differ(md: Attributes, own: Attributes, name: string): boolean {
  if (!md.has(name)) return false;
  const time = toTime(own.get(name));
  // That it is no time, or not there though it must be, the document's own findings say.
  const isKnown = own.has(name) ? time !== undefined : name === 'completed' || name === 'until';
  return isKnown && toTime(md.get(name)) !== time;
}

function originOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).origin : undefined;
}

/** RS-CL-16. */
function checkGaps({ members }: SurveyedDocument, at: At): void {
  for (const [position, { loc, md }] of members.entries()) {
    const until = toTime(members[position - 1]?.md.get('until'));
    const from = toTime(md.get('from'));
    if (until === undefined || from === undefined || until === from) continue;
    const what = from > until ? 'after' : 'before';
    at(`entry ${position + 1}: ${loc}`)('RS-CL-16', `it begins ${what} the list before it ended`, 'warning');
  }
}
