import {
  type Attributes,
  type DocumentEntry,
  noAttributes,
} from '../../resourcesync/documents/document-model.ts';
import {
  type DocumentKind,
  documentKinds,
  isNearly,
  isResourceKind,
  setCapabilities,
} from '../documents/document-kind.ts';
import type { Report } from '../documents/finding.ts';
import { checkEntryLinks, checkLink } from './link-rules.ts';
import { checkInterval, checkTime, checkTimes } from './time-rules.ts';
import { checkFacts, checkLoc, checkPath } from './value-rules.ts';

const frequencies = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'];
const order = ['loc', 'lastmod', 'changefreq', 'priority'];

/** Rules about one entry by itself, of whatever kind its document is. */
export function checkEntryForm(entry: DocumentEntry, locRule: string, report: Report): void {
  if (entry.attributes.length > 0) {
    report('RS-GEN-09', `the entry has attributes: ${entry.attributes.join(', ')}`);
  }
  if (entry.locs.length !== 1) report(`RS-GEN-07${locRule}`, `the entry has ${entry.locs.length} loc`);
  for (const loc of entry.locs) checkLoc(loc, report);
  for (const lastmod of entry.lastmods) checkTime('lastmod', lastmod, report);
  if (entry.md.length > 1) report('RS-GEN-10', `the entry has ${entry.md.length} rs:md`);
  checkChildren(entry, report);
}

/** RS-GEN-20 and what else the Sitemap schemas say of the children; `rs:md` and `rs:ln` go in any order. */
function checkChildren(entry: DocumentEntry, report: Report): void {
  let highest = -1;
  let disordered = false;
  for (const name of entry.order) {
    const own = name === 'md' || name === 'ln';
    const rank = own ? order.length : order.indexOf(name);
    if (rank === -1) {
      report('RS-GEN-23', `there is no element ${name} in an entry`);
      continue;
    }
    if (rank < highest) disordered = true;
    else if (rank === highest && !own && rank > 0) report('RS-GEN-23', `${name} is given twice`);
    highest = Math.max(highest, rank);
  }
  if (disordered) report('RS-GEN-20', `the order is ${entry.order.join(', ')}`);
  for (const priority of entry.priorities) {
    if (!/^(0(\.\d+)?|1(\.0+)?)$/.test(priority)) report('RS-GEN-23', `priority is "${priority}"`);
  }
}

/** Rules about one entry by itself, in a document of this kind. */
export function checkEntry(kind: DocumentKind, entry: DocumentEntry, report: Report): void {
  const { locRule } = documentKinds[kind];
  checkEntryForm(entry, ` ${locRule}`, report);
  const [loc] = entry.locs;
  if (loc !== undefined && !isResourceKind(kind) && !/^https?:/i.test(loc)) {
    report(locRule, 'what loc names cannot be fetched by HTTP', 'error');
  }
  for (const frequency of entry.changefreqs) {
    if (!frequencies.includes(frequency) || !['RL', 'RDM', 'CL', 'CDM'].includes(kind)) {
      report('RS-GEN-24', `changefreq "${frequency}" has no place here`);
    }
  }
  checkAttributes(kind, entry.md[0] ?? noAttributes, report);
  if (entry.lastmods.length > 0 && (kind === 'SD' || kind === 'CAP')) {
    report(
      kind === 'SD' ? 'RS-SD-07' : 'RS-CAP-09',
      'lastmod should be left out, unless it follows every change',
    );
  }
  if (kind === 'SD' && !entry.links.some((link) => link.get('rel') === 'describedby')) {
    report('RS-SD-06', 'the set has no describedby link');
  }
  for (const link of entry.links) checkLink(link, report);
  checkEntryLinks(kind, entry, report);
}

/** What forbids an attribute of `rs:md` where it has no place; section 3 of the checklist knows no other. */
export const matrixRules: Readonly<Record<string, string>> = {
  at: 'RS-ATTR-01',
  completed: 'RS-ATTR-01',
  from: 'RS-ATTR-02',
  until: 'RS-ATTR-02',
  capability: 'RS-ATTR-03',
  change: 'RS-ATTR-04',
  datetime: 'RS-ATTR-06',
  path: 'RS-ATTR-12',
  pri: 'RS-ATTR-18',
  href: 'RS-ATTR-18',
  rel: 'RS-ATTR-18',
  modified: 'RS-ATTR-18',
  hash: 'RS-ATTR-16',
  length: 'RS-ATTR-16',
  type: 'RS-ATTR-16',
  encoding: 'RS-ATTR-16',
};
const times = { at: ['at', 'completed'], from: ['from', 'until'] } as const;

/**
 * Some publish indexes of Change Lists as a urlset: such an entry has an interval and no change, and is judged as what
 * it is meant to be.
 */
export function misplacedKind(kind: DocumentKind, { md: [md] }: DocumentEntry): DocumentKind | undefined {
  return kind === 'CL' && md !== undefined && !md.has('change') && md.has('from') ? 'CLI' : undefined;
}

/** The attribute matrix. */
function checkAttributes(kind: DocumentKind, md: Attributes, report: Report): void {
  const rules = documentKinds[kind];
  for (const name of md.keys()) {
    if (!rules.entry.includes(name) && !isTimeOf(rules.entryTime, name)) {
      report(rulesAgainst(kind, name), `${name} has no place in this entry`);
    }
  }
  for (const name in rules.required) {
    if (!md.has(name)) report(rules.required[name] ?? '', `${name} is missing`);
  }
  if (rules.recommendedTimeRule !== undefined && !md.has('from')) {
    report(rules.recommendedTimeRule, 'from is missing', 'warning');
  }
  checkCapability(kind, md.get('capability'), report);
  checkFormat(kind, md.get('type'), report);
  checkChange(kind, md, report);
  checkPackage(kind, md, report);
  checkTimes(md, report);
  checkInterval(md, report);
  checkFacts(md, report);
}

function isTimeOf(entryTime: 'at' | 'from' | undefined, name: string): boolean {
  return entryTime !== undefined && times[entryTime].some((time) => time === name);
}

/** The matrix's rule, the section's own, and for times the row of Appendix A. */
function rulesAgainst(kind: DocumentKind, name: string): string {
  const { foreign, entryTimeRules } = documentKinds[kind];
  const rules = [matrixRules[name] ?? 'RS-GEN-15'];
  if (foreign?.names.includes(name)) rules.push(foreign.rule);
  if (entryTimeRules !== undefined && /^(at|completed|from|until)$/.test(name)) rules.push(entryTimeRules);
  return rules.join(' ');
}

function checkCapability(kind: DocumentKind, capability: string | undefined, report: Report): void {
  if (capability === undefined) return;
  if (kind === 'SD' && capability !== 'capabilitylist') {
    report('RS-SD-05 RS-ATTR-03', `the capability is "${capability}"`);
  } else if (kind === 'SDI' && capability !== 'description' && capability !== 'capabilitylist') {
    report('RS-ATTR-03 RS-SD-08', `the capability is "${capability}"`);
  } else if (kind === 'CAP' && /^(description|capabilitylist|.*-manifest|)$/.test(capability)) {
    report('RS-CAP-08 RS-ATTR-03', `"${capability}" is no capability of a set`);
  } else if (kind === 'CAP') {
    // Other specifications may add values (RS-CAP-14); what is nearly one of ours is more likely a slip.
    const meant = setCapabilities.find((known) => isNearly(known, capability));
    if (meant !== undefined) {
      report('RS-CAP-08 RS-ATTR-03', `"${capability}" is unknown; "${meant}" may be meant`, 'warning');
    }
  }
}

/** RS-RD-13, RS-CD-10, as far as the dump itself says it. */
function checkFormat(kind: DocumentKind, type: string | undefined, report: Report): void {
  if ((kind !== 'RD' && kind !== 'CD') || type === undefined) return;
  if (!/^application\/((x-)?zip(-compressed)?|octet-stream)\b/i.test(type)) {
    report(kind === 'RD' ? 'RS-RD-13' : 'RS-CD-10', `the package is ${type}, no ZIP`);
  }
}

function checkChange(kind: DocumentKind, md: Attributes, report: Report): void {
  const change = md.get('change');
  if (change !== undefined && !['created', 'updated', 'deleted'].includes(change)) {
    report(kind === 'CL' ? 'RS-ATTR-05 RS-CL-11' : 'RS-ATTR-05', `change is "${change}"`);
  }
  if (kind === 'CL' && !md.has('datetime')) report('RS-CL-13', 'datetime is missing');
  const path = md.get('path');
  if (kind === 'CDM' && change !== undefined && (change === 'deleted') === (path !== undefined)) {
    report('RS-CDM-09', change === 'deleted' ? 'what was deleted has a path' : 'path is missing');
  }
  if (path !== undefined) {
    checkPath(path, kind === 'RDM' ? ' RS-RDM-09' : kind === 'CDM' ? ' RS-CDM-09' : '', report);
  }
}

const recommended: Readonly<Partial<Record<DocumentKind, readonly [rule: string, ...names: string[]]>>> = {
  RD: ['RS-RD-08', 'type', 'length'],
  CD: ['RS-CD-06', 'type', 'length'],
  RDM: ['RS-RDM-10', 'type'],
  CDM: ['RS-CDM-10', 'type'],
};

function checkPackage(kind: DocumentKind, md: Attributes, report: Report): void {
  const [rule, ...names] = recommended[kind] ?? [];
  if (rule === undefined || md.get('change') === 'deleted') return;
  for (const name of names) if (!md.has(name)) report(rule, `${name} is missing`);
}
