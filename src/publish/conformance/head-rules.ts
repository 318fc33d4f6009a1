import { sitemapNamespace } from '../entry-writer.ts';
import { capabilities, type DocumentKind, documentKinds, kindOf } from './document-kind.ts';
import type { DocumentHead } from './document-model.ts';
import type { Report } from './finding.ts';
import { checkLink } from './link-rules.ts';
import { checkInterval, checkTimes } from './time-rules.ts';

const rootAttributes = ['capability', 'at', 'completed', 'from', 'until'];

/** Rules about the root and its `rs:` children. @returns the kind, where it can be told */
export function checkHead(head: DocumentHead, report: Report): DocumentKind | undefined {
  if (!['urlset', 'sitemapindex'].includes(head.root) || head.namespace !== sitemapNamespace) {
    report('RS-GEN-01', 'error', `the root is ${head.root} in "${head.namespace}"`);
    return undefined;
  }
  if (head.md.length !== 1) report('RS-GEN-02', 'error', `the document has ${head.md.length} rs:md`);
  const md = head.md[0] ?? new Map<string, string>();
  const capability = md.get('capability');
  if (!capability) {
    report('RS-GEN-03', 'error', 'the document states no capability');
  } else if (!capabilities.has(capability)) {
    report('RS-GEN-04', 'error', `the capability "${capability}" is unknown`);
  }
  const kind = kindOf(head.root, capability);
  if (capability === 'capabilitylist' && !kind) {
    report('RS-CAP-10', 'warning', 'there should be no index of Capability Lists');
  } else if (capability?.endsWith('-manifest') && !kind) {
    report('RS-GEN-06', 'error', 'a manifest is a urlset');
  }
  for (const name of md.keys()) {
    if (!rootAttributes.includes(name)) report('RS-GEN-15', 'error', `the root's rs:md has ${name}`);
  }
  checkTimes(md, report);
  checkInterval(md, report);
  for (const link of head.links) checkLink(link, report);
  if (kind) {
    checkRootTimes(kind, head, report);
    checkNavigation(kind, head, report);
  }
  return kind;
}

/** Appendix A. */
function checkRootTimes(kind: DocumentKind, head: DocumentHead, report: Report): void {
  const { rootTime, timeRule } = documentKinds[kind];
  const md = head.md[0] ?? new Map<string, string>();
  for (const [time, partner] of [
    ['at', 'completed'],
    ['from', 'until'],
  ] as const) {
    if (time === rootTime) {
      if (!md.has(time)) report(timeRule, 'error', `${time} is missing`);
      continue;
    }
    for (const name of [time, partner]) {
      if (md.has(name)) report(timeRule, 'error', `${name} has no place in this document`);
    }
  }
}

function checkNavigation(kind: DocumentKind, head: DocumentHead, report: Report): void {
  const count = (rel: string) => head.links.filter((link) => link.get('rel') === rel).length;
  if (kind === 'SD') {
    if (count('up') > 0) report('RS-NAV-06', 'warning', 'a Source Description has no up link');
  } else if (count('up') !== 1) {
    report('RS-NAV-01', 'error', `the document has ${count('up')} up links`);
  }
  const noIndex = documentKinds[kind].root === 'sitemapindex' || kind === 'RDM' || kind === 'CDM';
  if (noIndex && count('index') > 0) report('RS-NAV-04', 'warning', 'an index link has no place here');
  if ((kind === 'SD' || kind === 'CAP') && count('describedby') === 0) {
    report(kind === 'SD' ? 'RS-SD-02' : 'RS-CAP-04', 'warning', 'there is no describedby link');
  }
}
