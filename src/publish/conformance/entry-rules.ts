import { type DocumentKind, documentKinds } from './document-kind.ts';
import type { Attributes, DocumentEntry } from './document-model.ts';
import type { Report } from './finding.ts';
import { checkEntryLinks } from './link-rules.ts';
import { checkInterval, checkTime, checkTimes } from './time-rules.ts';
import { checkFacts, checkLoc } from './value-rules.ts';

const frequencies = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'];
const order = ['loc', 'lastmod', 'changefreq', 'priority'];

/** Rules about one entry by itself. */
export function checkEntry(kind: DocumentKind, entry: DocumentEntry, report: Report): void {
  if (entry.attributes.length > 0) {
    report('RS-GEN-09', 'error', `the entry has attributes: ${entry.attributes.join(', ')}`);
  }
  if (entry.locs.length !== 1) report('RS-GEN-07', 'error', `the entry has ${entry.locs.length} loc`);
  for (const loc of entry.locs) checkLoc(loc, report);
  for (const lastmod of entry.lastmods) checkTime('lastmod', lastmod, report);
  checkOrder(entry, report);
  for (const frequency of entry.changefreqs) {
    if (!frequencies.includes(frequency) || !['RL', 'RDM', 'CL', 'CDM'].includes(kind)) {
      report('RS-GEN-24', 'error', `changefreq "${frequency}" has no place here`);
    }
  }
  if (entry.md.length > 1) report('RS-GEN-10', 'error', `the entry has ${entry.md.length} rs:md`);
  checkAttributes(kind, entry.md[0] ?? new Map(), report);
  if (entry.lastmods.length > 0 && (kind === 'SD' || kind === 'CAP')) {
    report(kind === 'SD' ? 'RS-SD-07' : 'RS-CAP-09', 'warning', 'lastmod should be left out');
  }
  if (kind === 'SD' && !entry.links.some((link) => link.get('rel') === 'describedby')) {
    report('RS-SD-06', 'warning', 'the set has no describedby link');
  }
  checkEntryLinks(kind, entry, report);
}

/** RS-GEN-20; the order of `rs:md` and `rs:ln` among themselves is free. */
function checkOrder(entry: DocumentEntry, report: Report): void {
  const ranks = entry.order.map((name) =>
    name === 'md' || name === 'ln' ? order.length : order.indexOf(name),
  );
  if (ranks.some((rank, index) => rank < (ranks[index - 1] ?? 0))) {
    report('RS-GEN-20', 'warning', `the order is ${entry.order.join(', ')}`);
  }
}

const matrixRules: Readonly<Record<string, string>> = {
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
};

/** The attribute matrix. */
function checkAttributes(kind: DocumentKind, md: Attributes, report: Report): void {
  const rules = documentKinds[kind];
  const times =
    rules.entryTime === 'at' ? ['at', 'completed'] : rules.entryTime === 'from' ? ['from', 'until'] : [];
  for (const name of md.keys()) {
    const known = name in matrixRules || ['hash', 'length', 'type', 'encoding'].includes(name);
    if (!rules.entry.includes(name) && !times.includes(name)) {
      report(
        known ? (matrixRules[name] ?? 'RS-ATTR-16') : 'RS-GEN-15',
        'error',
        `${name} has no place in this entry`,
      );
    }
  }
  for (const [name, rule] of Object.entries(rules.required)) {
    if (!md.has(name)) report(rule, 'error', `${name} is missing`);
  }
  if (rules.entryTimeRule !== undefined && !md.has('from'))
    report(rules.entryTimeRule, 'warning', 'from is missing');
  checkCapability(kind, md.get('capability'), report);
  checkChange(kind, md, report);
  checkPackage(kind, md, report);
  checkTimes(md, report);
  checkInterval(md, report);
  checkFacts(md, report);
}

function checkCapability(kind: DocumentKind, capability: string | undefined, report: Report): void {
  if (capability === undefined) return;
  if (kind === 'SD' && capability !== 'capabilitylist') {
    report('RS-SD-05', 'error', `the capability is "${capability}"`);
  } else if (kind === 'CAP' && /^(description|capabilitylist|.*-manifest)$/.test(capability)) {
    report('RS-CAP-08', 'error', `"${capability}" is no capability of a set`);
  }
}

function checkChange(kind: DocumentKind, md: Attributes, report: Report): void {
  const change = md.get('change');
  if (change !== undefined && !['created', 'updated', 'deleted'].includes(change)) {
    report('RS-ATTR-05', 'error', `change is "${change}"`);
  }
  if (kind === 'CL' && !md.has('datetime')) report('RS-CL-13', 'warning', 'datetime is missing');
  if (kind === 'CDM' && change !== undefined && (change === 'deleted') === md.has('path')) {
    report('RS-CDM-09', 'error', change === 'deleted' ? 'what was deleted has a path' : 'path is missing');
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
  for (const name of names) if (!md.has(name)) report(rule, 'warning', `${name} is missing`);
}
