import { TextTable } from '../../core/memory/text-table.ts';
import {
  type Attributes,
  type DocumentEntry,
  noAttributes,
} from '../../resourcesync/documents/document-model.ts';
import type { DocumentKind } from '../documents/document-kind.ts';
import type { Report } from '../documents/finding.ts';
import { misplacedKind } from './entry-rules.ts';
import { MetadataPairs } from './metadata-pairs.ts';
import { isAfter } from './time-rules.ts';

const forwardRules: Readonly<Partial<Record<DocumentKind, readonly [time: string, rule: string]>>> = {
  CL: ['datetime', 'RS-CL-04'],
  CDM: ['datetime', 'RS-CDM-02'],
  CLI: ['from', 'RS-CLI-02'],
  CDI: ['from', 'RS-CDI-01'],
  CD: ['from', 'RS-CD-04'],
  CLA: ['from', 'AR-09'],
  CDA: ['from', 'AR-09'],
};

/** What may occur once only in a document, and the rules that say so. */
const uniqueRules: Readonly<Partial<Record<DocumentKind, readonly [what: 'loc' | 'path', rules: string]>>> = {
  SD: ['loc', 'RS-SD-10 RS-SD-09'],
  RL: ['loc', 'RS-RL-06'],
  RLI: ['loc', 'RS-RLI-09 RS-RLI-05'],
  RD: ['loc', 'RS-RD-05'],
  RDI: ['loc', 'RS-RDI-01'],
  CLI: ['loc', 'RS-CLI-05'],
  CD: ['loc', 'RS-CD-05'],
  CDI: ['loc', 'RS-CDI-01'],
  RDM: ['path', 'RS-ATTR-14 RS-RDM-06'],
  CDM: ['path', 'RS-CDM-12 RS-ATTR-14'],
};

/** A capability of which a set has several documents is offered by one index. */
const groupRules: Readonly<Record<string, string>> = {
  resourcedump: 'RS-CAP-05 RS-RD-15',
  changelist: 'RS-CAP-05 RS-CLI-01',
  changedump: 'RS-CAP-05 RS-CD-14',
  'resourcelist-archive': 'AR-13 AR-12',
  'resourcedump-archive': 'AR-13 AR-12',
  'changelist-archive': 'AR-13 AR-12',
  'changedump-archive': 'AR-13 AR-12',
};

/** Rules about entries among themselves and against the head. Remembers of an entry no more than it needs. */
export class SequenceRules {
  readonly #kind: DocumentKind;
  readonly #root: Attributes;
  readonly #seen = new TextTable();
  readonly #capabilities = new Set<string>();
  readonly #types = new Set<string>();
  readonly #pairs: MetadataPairs | undefined;
  #lastTime: string | undefined;
  #openMember = false;
  #isMisplaced = false;

  constructor(kind: DocumentKind, root: Attributes) {
    this.#kind = kind;
    this.#root = root;
    this.#pairs = kind === 'RL' ? new MetadataPairs() : undefined;
  }

  check(entry: DocumentEntry, report: Report): void {
    const md = entry.md[0] ?? noAttributes;
    this.#checkUnique(entry, md, report);
    this.#checkForward(md, report);
    this.#pairs?.add(entry);
    switch (this.#kind) {
      case 'CL':
        this.#checkMisplacedIndex(entry, report);
        this.#checkWithin(md, report);
        break;
      case 'CDM':
        this.#checkWithin(md, report);
        break;
      case 'SDI':
        this.#checkMisplacedDescription(md, report);
        break;
      case 'CLI':
        this.#checkMembers(md, 'RS-CLI-10', report);
        break;
      case 'CDI':
        this.#checkMembers(md, 'RS-CDI-01', report);
        break;
      case 'RLI':
        this.#checkSnapshot(md, 'RS-RLI-10', 'a list', report);
        break;
      case 'RDI':
        this.#checkSnapshot(md, 'RS-RDI-01', 'a dump', report);
        break;
      case 'RD':
        this.#checkSnapshot(md, 'RS-RD-09', 'a package', report);
        break;
    }
  }

  /** What can be said only when the last entry has been seen. */
  finish(report: Report): void {
    this.#pairs?.check(this.#seen, report);
  }

  #checkUnique(entry: DocumentEntry, md: Attributes, report: Report): void {
    const capability = md.get('capability');
    if (this.#kind === 'CAP' && capability !== undefined) {
      if (this.#capabilities.has(capability)) {
        report(groupRules[capability] ?? 'RS-CAP-05', `${capability} is listed twice`);
      }
      this.#capabilities.add(capability);
    }
    const type = md.get('type');
    if ((this.#kind === 'RD' || this.#kind === 'CD') && type !== undefined && this.#types.size < 2) {
      this.#types.add(type);
      const rule = this.#kind === 'RD' ? 'RS-RD-14' : 'RS-CD-11';
      if (this.#types.size === 2) report(rule, 'the packages differ in format');
    }
    const [what, rules] = uniqueRules[this.#kind] ?? [];
    const value = what === 'loc' ? entry.locs[0] : what === 'path' ? md.get('path') : undefined;
    if (value === undefined || rules === undefined) return;
    // Hashes, for a value kept would keep the whole text that it was cut from.
    const before = this.#seen.size;
    this.#seen.add(value);
    if (this.#seen.size === before) report(rules, `${what} ${value} occurs twice`, 'warning');
  }

  #checkForward(md: Attributes, report: Report): void {
    const [name, rule] = forwardRules[this.#kind] ?? [];
    const time = name === undefined ? undefined : md.get(name);
    if (time === undefined || rule === undefined) return;
    if (isAfter(this.#lastTime, time)) report(rule, `${time} comes after ${this.#lastTime}`);
    this.#lastTime = time;
  }

  #checkWithin(md: Attributes, report: Report): void {
    const datetime = md.get('datetime');
    if (datetime === undefined) return;
    if (isAfter(this.#root.get('from'), datetime)) report('RS-TIME-04', 'datetime is before from');
    if (isAfter(datetime, this.#root.get('until'))) report('RS-TIME-04', 'datetime is after until');
  }

  /** Some publish the index of their Change Lists as a urlset: its entries have intervals and no change. */
  #checkMisplacedIndex(entry: DocumentEntry, report: Report): void {
    if (this.#isMisplaced || misplacedKind('CL', entry) === undefined) return;
    this.#isMisplaced = true;
    report('RS-CLI-03 RS-GEN-06', 'this is an index of Change Lists, which has to be a sitemapindex');
  }

  /** RS-SD-08 is about Source Descriptions; one of Capability Lists is no index. */
  #checkMisplacedDescription(md: Attributes, report: Report): void {
    if (this.#isMisplaced || md.get('capability') !== 'capabilitylist') return;
    this.#isMisplaced = true;
    report('RS-SD-01', 'this is a Source Description, which has to be a urlset');
  }

  #checkSnapshot(md: Attributes, rule: string, what: string, report: Report): void {
    if (isAfter(this.#root.get('at'), md.get('at'))) {
      report(rule, `${what} began before the document above it says it did`, 'warning');
    }
    if (isAfter(md.get('completed'), this.#root.get('completed'))) {
      report(rule, `${what} was completed after the document above it`, 'warning');
    }
  }

  #checkMembers(md: Attributes, rule: string, report: Report): void {
    if (isAfter(this.#root.get('from'), md.get('from'))) {
      report(rule, 'it begins before the index', 'warning');
    }
    if (this.#openMember) report(rule, 'an open one comes before it, and is not the last', 'warning');
    this.#openMember = md.has('from') && !md.has('until');
    if (this.#openMember && this.#root.has('until')) {
      report(rule, 'an index with until holds an open one', 'warning');
    }
  }
}
