import type { DocumentKind } from './document-kind.ts';
import type { Attributes, DocumentEntry } from './document-model.ts';
import type { Report } from './finding.ts';
import { checkTimes } from './time-rules.ts';
import { checkFacts, isAbsoluteUri } from './value-rules.ts';

const patch = 'http://www.openarchives.org/rs/terms/patch';

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

export function checkLink(link: Attributes, report: Report): void {
  const rel = link.get('rel');
  const href = link.get('href');
  if (rel === undefined || href === undefined) {
    report('RS-GEN-12', 'error', 'a link has no rel or no href');
    return;
  }
  if (!registered.has(rel) && !isAbsoluteUri(rel)) {
    report('RS-GEN-13', 'error', `rel "${rel}" is neither registered nor an absolute URI`);
  }
  if (!isAbsoluteUri(href)) report('RS-NAV-09', 'warning', `href "${href}" is not an absolute URI`);
  for (const name of link.keys()) {
    if (forbidden.includes(name)) report('RS-ATTR-20', 'error', `${name} stands on a link`);
    else if (!allowed.has(name)) report('RS-GEN-15', 'error', `the link attribute ${name} is unknown`);
  }
  const pri = link.get('pri');
  if (pri !== undefined && !/^[1-9]\d{0,5}$/.test(pri)) report('RS-ATTR-17', 'error', `pri is "${pri}"`);
  checkFacts(link, report);
  checkTimes(link, report);
}

const inLists: ReadonlySet<string> = new Set(['RL', 'RDM', 'CL', 'CDM']);

/** Section 10 of the checklist: each relation with what it needs and where it may be. */
export function checkEntryLinks(kind: DocumentKind, entry: DocumentEntry, report: Report): void {
  const [md] = entry.md;
  let mementos = 0;
  for (const link of entry.links) {
    checkLink(link, report);
    switch (link.get('rel')) {
      case patch:
        if (inLists.has(kind) && kind !== 'CL' && kind !== 'CDM') {
          report('RS-LN-12', 'error', 'a patch link is only for changes');
        }
        if (!link.has('type')) report('RS-LN-10', 'error', 'a patch link has no type');
        if (kind === 'CDM' && !link.has('path')) report('RS-LN-13', 'error', 'a patch link has no path');
        break;
      case 'duplicate':
        for (const name of ['hash', 'length', 'type']) {
          if (link.has(name)) report('RS-LN-05', 'warning', `a duplicate link repeats ${name}`);
        }
        break;
      case 'alternate':
        if (!link.has('type')) report('RS-LN-07', 'warning', 'an alternate link has no type');
        break;
      case 'timegate':
        if (link.size > 2) report('RS-LN-23', 'warning', 'a timegate link has more than rel and href');
        break;
      case 'memento':
        mementos += 1;
        checkMemento(link, md, entry, report);
        break;
      case 'contents':
        if (inLists.has(kind)) report('RS-RD-11', 'warning', 'a contents link is for dumps');
        break;
    }
  }
  if (mementos > 1) report('RS-LN-19', 'error', `${mementos} memento links; one is meant`);
}

function checkMemento(
  link: Attributes,
  md: Attributes | undefined,
  entry: DocumentEntry,
  report: Report,
): void {
  const modified = link.get('modified');
  const lastmod = entry.lastmods[0];
  if (modified !== undefined && lastmod !== undefined && modified !== lastmod) {
    report('RS-LN-20', 'error', `the memento is of ${modified}, the entry of ${lastmod}`);
  }
  for (const name of ['hash', 'length', 'type']) {
    const [own, other] = [md?.get(name), link.get(name)];
    if (own !== undefined && other !== undefined && own !== other) {
      report('RS-LN-21', 'error', `${name} of the memento differs from that of the entry`);
    }
  }
}
