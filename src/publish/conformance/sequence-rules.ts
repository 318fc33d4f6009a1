import type { DocumentKind } from './document-kind.ts';
import type { Attributes, DocumentEntry } from './document-model.ts';
import type { Report } from './finding.ts';
import { isAfter } from './time-rules.ts';

/** Rules about entries among themselves and against the head. Remembers of an entry no more than it needs. */
export class SequenceRules {
  readonly #kind: DocumentKind;
  readonly #root: Attributes;
  readonly #seen = new Set<string>();
  readonly #capabilities = new Set<string>();
  readonly #types = new Set<string>();
  #lastTime: string | undefined;
  #openMember = false;

  constructor(kind: DocumentKind, root: Attributes) {
    this.#kind = kind;
    this.#root = root;
  }

  check(entry: DocumentEntry, report: Report): void {
    const md = entry.md[0] ?? new Map<string, string>();
    this.#checkUnique(entry, md, report);
    switch (this.#kind) {
      case 'CL':
        this.#checkForward(md.get('datetime'), 'RS-CL-04', 'error', report);
        this.#checkWithin(md, report);
        break;
      case 'CDM':
        this.#checkForward(md.get('datetime'), 'RS-CDM-02', 'error', report);
        this.#checkWithin(md, report);
        break;
      case 'CLI':
        this.#checkForward(md.get('from'), 'RS-CLI-02', 'error', report);
        this.#checkMembers(md, report);
        break;
      case 'CD':
        this.#checkForward(md.get('from'), 'RS-CD-04', 'warning', report);
        break;
      case 'RLI':
        if (isAfter(this.#root.get('at'), md.get('at'))) {
          report('RS-RLI-10', 'warning', 'a list began before the index says it did');
        }
        if (isAfter(md.get('completed'), this.#root.get('completed'))) {
          report('RS-RLI-10', 'warning', 'a list was completed after the index');
        }
        break;
    }
  }

  #checkUnique(entry: DocumentEntry, md: Attributes, report: Report): void {
    const capability = md.get('capability');
    if (this.#kind === 'CAP' && capability !== undefined) {
      if (this.#capabilities.has(capability)) report('RS-CAP-05', 'error', `${capability} is listed twice`);
      this.#capabilities.add(capability);
    }
    const type = md.get('type');
    if ((this.#kind === 'RD' || this.#kind === 'CD') && type !== undefined) {
      this.#types.add(type);
      const rule = this.#kind === 'RD' ? 'RS-RD-14' : 'RS-CD-11';
      if (this.#types.size === 2) report(rule, 'warning', 'the packages differ in format');
    }
    const [rule, value, what] = uniqueBy(this.#kind, entry, md);
    if (rule === undefined || value === undefined) return;
    if (this.#seen.has(value)) report(rule, 'warning', `${what} occurs twice`);
    this.#seen.add(value);
  }

  #checkForward(time: string | undefined, rule: string, severity: 'error' | 'warning', report: Report): void {
    if (isAfter(this.#lastTime, time)) report(rule, severity, `${time} comes after ${this.#lastTime}`);
    this.#lastTime = time ?? this.#lastTime;
  }

  #checkWithin(md: Attributes, report: Report): void {
    const datetime = md.get('datetime');
    if (isAfter(this.#root.get('from'), datetime)) report('RS-TIME-04', 'error', 'datetime is before from');
    if (isAfter(datetime, this.#root.get('until'))) report('RS-TIME-04', 'error', 'datetime is after until');
  }

  #checkMembers(md: Attributes, report: Report): void {
    if (isAfter(this.#root.get('from'), md.get('from'))) {
      report('RS-CLI-10', 'warning', 'a list begins before the index');
    }
    if (this.#openMember) report('RS-CLI-10', 'warning', 'an open list is not the last one');
    this.#openMember = md.has('from') && !md.has('until');
    if (this.#openMember && this.#root.has('until')) {
      report('RS-CLI-10', 'warning', 'an index with until holds an open list');
    }
  }
}

function uniqueBy(
  kind: DocumentKind,
  entry: DocumentEntry,
  md: Attributes,
): readonly [rule?: string, value?: string | undefined, what?: string] {
  const [loc] = entry.locs;
  if (kind === 'SD') return ['RS-SD-10', loc, 'loc'];
  if (kind === 'RL') return ['RS-RL-06', loc, 'loc'];
  if (kind === 'RLI' || kind === 'CLI') return ['RS-RLI-09', loc, 'loc'];
  if (kind === 'RDM') return ['RS-ATTR-14', md.get('path'), 'path'];
  if (kind === 'CDM') return ['RS-CDM-12', md.get('path'), 'path'];
  return [];
}
