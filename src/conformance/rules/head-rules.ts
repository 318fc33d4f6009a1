import { sitemapNamespace } from '../../core/sitemap.ts';
import { type DocumentHead, noAttributes } from '../../resourcesync/documents/document-model.ts';
import {
  capabilities,
  type DocumentKind,
  documentKinds,
  kindOf,
  meantRootRule,
} from '../documents/document-kind.ts';
import type { Report } from '../documents/finding.ts';
import { matrixRules } from './entry-rules.ts';
import { checkLink } from './link-rules.ts';
import { checkInterval, checkTimes } from './time-rules.ts';

const rootAttributes = ['capability', 'at', 'completed', 'from', 'until'];

/** Rules about the root and its `rs:` children. @returns the kind, where it can be told */
export function checkHead(head: DocumentHead, report: Report): DocumentKind | undefined {
  if (!['urlset', 'sitemapindex'].includes(head.root) || head.namespace !== sitemapNamespace) {
    report('RS-GEN-01', `the root is ${head.root} in "${head.namespace}"`);
    return undefined;
  }
  if (head.md.length !== 1 && !(head.md.length === 0 && head.misnamed))
    report('RS-GEN-02', `the document has ${head.md.length} rs:md`);
  const md = head.md[0] ?? noAttributes;
  const capability = md.get('capability');
  const kind = kindOf(head.root, capability);
  if (!capability) {
    if (head.md.length > 0) report('RS-GEN-03', 'the document states no capability');
  } else if (!capabilities.has(capability)) {
    const meant = meantRootRule(head.root, capability);
    report(meant ? `RS-GEN-04 ${meant}` : 'RS-GEN-04', `the capability "${capability}" is unknown`);
  } else if (!kind && head.root === 'sitemapindex') {
    checkRoot(capability, report);
  }
  for (const name of md.keys()) {
    if (!rootAttributes.includes(name))
      report(matrixRules[name] ?? 'RS-GEN-15', `the root's rs:md has ${name}`);
  }
  checkTimes(md, report);
  checkInterval(md, report);
  for (const link of head.links) {
    checkLink(link, report, {});
    if (link.has('path')) report('RS-ATTR-19', 'a link of the document has a path, which is for packages');
  }
  if (head.links.some((link) => link.get('rel') === 'contents')) {
    report('RS-RD-11', 'a contents link is for packages, in the entries of dumps');
  }
  if (kind) {
    checkRootTimes(kind, head, report);
    checkNavigation(kind, head, report);
  }
  return kind;
}

function checkRoot(capability: string, report: Report): void {
  if (capability === 'capabilitylist') {
    report('RS-CAP-10', 'there should be no index of Capability Lists');
  } else if (capability === 'resourcedump-manifest') {
    report('RS-RDM-03 RS-GEN-06', 'a manifest is a urlset');
  } else if (capability === 'changedump-manifest') {
    report('RS-CDM-03 RS-GEN-06', 'a manifest is a urlset');
  } else {
    report('RS-GEN-06', `a sitemapindex of ${capability} is not defined`);
  }
}

/** Appendix A. */
function checkRootTimes(kind: DocumentKind, head: DocumentHead, report: Report): void {
  const { rootTime, timeRules, missingTimeRules } = documentKinds[kind];
  const md = head.md[0] ?? noAttributes;
  for (const [time, partner] of [
    ['at', 'completed'],
    ['from', 'until'],
  ] as const) {
    if (time === rootTime) {
      if (!md.has(time)) report(missingTimeRules ?? timeRules, `${time} is missing`);
      continue;
    }
    for (const name of [time, partner]) {
      if (md.has(name)) report(timeRules, `${name} has no place in this document`);
    }
  }
}

function checkNavigation(kind: DocumentKind, head: DocumentHead, report: Report): void {
  const { root, upRules } = documentKinds[kind];
  const count = (rel: string) => head.links.filter((link) => link.get('rel') === rel).length;
  if (kind === 'SD' || kind === 'SDI') {
    if (count('up') > 0) report('RS-NAV-06', 'a Source Description has no up link');
  } else if (count('up') !== 1) {
    report(`RS-NAV-01 ${upRules}`, `the document has ${count('up')} up links`);
  }
  if (root === 'urlset' && count('next') > 0 && count('index') === 0)
    report(
      'RS-GEN-06',
      'the document goes on at a next link; most Destinations read only what an index names',
      'warning',
    );
  const noIndex = root === 'sitemapindex' || kind === 'RDM' || kind === 'CDM';
  if (noIndex && count('index') > 0) report('RS-NAV-04', 'an index link has no place here');
  if (kind === 'SD' && count('describedby') === 0) report('RS-SD-02', 'there is no describedby link');
  if (kind === 'CAP' && count('describedby') === 0) report('RS-CAP-04', 'there is no describedby link');
}
