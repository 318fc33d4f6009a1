import { patchRelation } from '../../core/resource.ts';
import {
  type Attributes,
  type DocumentEntry,
  noAttributes,
} from '../../resourcesync/documents/document-model.ts';
import type { DocumentKind } from '../documents/document-kind.ts';
import type { Report } from '../documents/finding.ts';
import { checkTimes, toTime } from './time-rules.ts';
import { checkFacts, checkPath, isAbsoluteUri } from './value-rules.ts';

/** IANA-registered relation types; checked in November 2026, where `rs:ln` could use them (RS-GEN-13). */
const registered: ReadonlySet<string> = new Set(
  `about acl alternate amphtml appendix apple-touch-icon archives author bookmark canonical chapter cite-as
  collection contents convertedfrom copyright create-form current describedby describes disclosure duplicate edit
  edit-form edit-media enclosure external first glossary help hosts hub icon index intervalafter item last
  latest-version license linkset lrdd manifest memento monitor next next-archive original payment pingback
  predecessor-version prev prev-archive preview previous privacy-policy profile publication related replies
  restconf search section self service service-desc service-doc service-meta sponsored start status stylesheet
  subsection successor-version sunset tag terms-of-service timegate timemap type up version-history via
  webmention working-copy working-copy-of`.split(/\s+/),
);

const allowed: ReadonlySet<string> = new Set([
  ...['rel', 'href', 'encoding', 'hash', 'length', 'modified', 'path', 'type', 'pri', 'profile'],
]);
/** RS-ATTR-20: of the document or the change, never of a link. */
const forbidden = ['datetime', 'change', 'capability', 'at', 'completed', 'from', 'until'];

/** The rules that say of a relation that it has `rel` and `href`. */
const relationRules: Readonly<Record<string, string>> = {
  duplicate: ' RS-LN-03',
  alternate: ' RS-LN-07',
  canonical: ' RS-LN-09',
  describedby: ' RS-LN-16',
  describes: ' RS-LN-16',
  memento: ' RS-LN-19',
  timegate: ' RS-LN-22',
  timemap: ' RS-LN-24',
  collection: ' RS-LN-25',
  via: ' RS-LN-26',
};

/**
 * Rules about one link, wherever it stands.
 * @param rules those of the relations that also demand `rel` and `href`; the document's own links have none
 */
export function checkLink(
  link: Attributes,
  report: Report,
  rules: Readonly<Record<string, string>> = relationRules,
): void {
  const rel = link.get('rel');
  const href = link.get('href');
  if (!rel || !href) {
    const entryRule = (rel !== undefined && rules[rel]) || '';
    report(`RS-GEN-12${entryRule}`, `a ${rel ? `${rel} ` : ''}link has no ${rel ? 'href' : 'rel'}`);
    return;
  }
  if (!registered.has(rel)) checkRelation(rel, report);
  if (!isAbsoluteUri(href)) report('RS-NAV-09', `href "${href}" is not an absolute URI`);
  if (link.size === 2) return;
  for (const name of link.keys()) {
    if (forbidden.includes(name)) report('RS-ATTR-20', `${name} stands on a link`);
    else if (!allowed.has(name)) report('RS-GEN-15 RS-ATTR-19', `the link attribute ${name} is unknown`);
  }
  const pri = link.get('pri');
  if (pri !== undefined && !/^0*[1-9]\d{0,5}$/.test(pri)) report('RS-ATTR-17', `pri is "${pri}"`);
  const path = link.get('path');
  if (path !== undefined) checkPath(path, '', report);
  checkFacts(link, report);
  checkTimes(link, report);
}

function checkRelation(rel: string, report: Report): void {
  if (rel !== patchRelation && /^patch$|openarchives\.org\/rs\/(terms\/?)?patch/i.test(rel)) {
    report('RS-LN-10', `rel "${rel}" is not ${patchRelation}`);
  }
  // An absolute URI, of whatever scheme: `collection:x` is one, a word is not.
  if (!isAbsoluteUri(rel)) report('RS-GEN-13', `rel "${rel}" is neither registered nor an absolute URI`);
}

// A memento may be the resource itself, if it never changes; a TimeGate may be; the original may be.
const mayBeItself = ['memento', 'timegate', 'self', 'original', 'via', 'latest-version', patchRelation];

/** Section 10 of the checklist: each relation with what it needs and where it may be. */
export function checkEntryLinks(kind: DocumentKind, entry: DocumentEntry, report: Report): void {
  const md = entry.md[0] ?? noAttributes;
  const [loc] = entry.locs;
  let mementos = 0;
  let origins = 0;
  let describes = false;
  let profile = false;
  for (const link of entry.links) {
    const rel = link.get('rel');
    switch (rel) {
      case patchRelation:
        checkPatch(kind, link, report);
        break;
      case 'describes':
        describes = true;
        break;
      case 'profile':
        profile = true;
        break;
      case 'via':
        origins += 1;
        break;
      case 'duplicate':
        for (const name of ['hash', 'length', 'type']) {
          if (link.has(name)) report('RS-LN-05', `a duplicate link repeats ${name}`);
        }
        break;
      case 'alternate':
        if (!link.has('type')) report('RS-LN-07', 'an alternate link has no type', 'warning');
        break;
      case 'timegate':
        if (link.size > 2) report('RS-LN-23', 'a timegate link has more than rel and href');
        break;
      case 'memento':
        mementos += 1;
        checkMemento(link, md, entry, report);
        break;
      case 'up':
        report('RS-NAV-01', 'an up link stands in an entry; it is for the whole document', 'warning');
        break;
      case 'index':
        report('RS-NAV-03', 'an index link stands in an entry; it is for the whole document', 'warning');
        break;
      case 'contents':
        if (kind !== 'RD' && kind !== 'CD') report('RS-RD-11', 'a contents link is for dumps');
        break;
    }
    if (loc !== undefined && link.get('href') === loc && rel !== undefined && !mayBeItself.includes(rel)) {
      const rules = /^describe(s|dby)$/.test(rel) ? 'RS-LN-02 RS-LN-15' : 'RS-LN-02';
      report(rules, `the ${rel} link leads to the resource itself`);
    }
  }
  if (mementos > 1) report('RS-LN-19', `${mementos} memento links; one is meant`);
  if (origins > 1) report('RS-AGG-01', `${origins} via links; only the one to the origin is kept`);
  if (describes && !profile) report('RS-LN-17', 'a metadata record has no profile link');
}

function checkPatch(kind: DocumentKind, link: Attributes, report: Report): void {
  if (kind !== 'CL' && kind !== 'CDM') report('RS-LN-12', 'a patch link is only for changes');
  if (!link.has('type')) report('RS-LN-10', 'a patch link has no type');
  if (kind === 'CDM' && !link.has('path')) report('RS-LN-13', 'a patch link has no path');
}

function checkMemento(link: Attributes, md: Attributes, entry: DocumentEntry, report: Report): void {
  const modified = link.get('modified');
  const lastmod = entry.lastmods[0];
  if (modified === undefined) {
    report('RS-LN-20', 'the memento link does not say of which time it is');
  } else if (lastmod !== undefined && toTime(modified) !== toTime(lastmod)) {
    report('RS-LN-20', `the memento is of ${modified}, the entry of ${lastmod}`);
  }
  for (const name of ['hash', 'length', 'type']) {
    const [own, other] = [md.get(name), link.get(name)];
    if (own !== undefined && other !== undefined && own !== other) {
      report('RS-LN-21', `${name} of the memento differs from that of the entry`);
    }
  }
}
