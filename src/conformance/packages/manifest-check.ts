import { countOf } from '../../core/count-of.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { type Attributes, noAttributes } from '../../resourcesync/documents/document-model.ts';
import { contentDigest, type PackageFile } from '../../resourcesync/packages/package-file.ts';
import type { SourcePort } from '../../resourcesync/source-port.ts';
import type { Report } from '../documents/finding.ts';
import type { FindingsByUri } from '../documents/findings-by-uri.ts';
import { measure } from '../documents/fixity.ts';
import { checkDocument } from '../rules/document-check.ts';
import type { SourceWalk } from '../survey/source-check.ts';
import { documentAt, type Member, type SurveyedDocument } from '../survey/survey.ts';
import { checkManifestTimes } from '../survey/survey-rules.ts';

export interface ManifestContext {
  readonly port: SourcePort;
  readonly walk: SourceWalk;
  readonly rules: PackageRules;
  /** At the entry of the dump. */
  readonly report: Report;
  readonly findings: FindingsByUri;
  readonly note: (message: string) => void;
  /** Bytes that the members of one package may come to, uncompressed. */
  readonly maximumUnpacked: number;
}

/** What a manifest says of a bitstream. */
interface Expected {
  readonly place: string;
  readonly facts: Attributes;
  /** Undefined for the entry's own bitstream. */
  readonly patch?: true;
}

/** The manifest in a package, and the package against it. @returns whether there was one to check */
export async function checkManifest(
  dump: SurveyedDocument & { readonly kind: 'RD' | 'CD' },
  member: Member,
  file: PackageFile,
  context: ManifestContext,
): Promise<boolean> {
  const { rules, report, walk } = context;
  const manifest = file.members.get('manifest.xml');
  if (!manifest) {
    const elsewhere = [...file.members.keys()].find((name) => /(^|[/\\])manifest\.xml$/i.test(name));
    if (elsewhere === undefined) report(rules.manifest, 'there is no manifest.xml in the package');
    else report(`${rules.topLevel} ${rules.manifest}`, `the manifest is ${elsewhere}, not manifest.xml`);
    return false;
  }
  const uri = `${member.loc}!/manifest.xml`;
  const { contents } = member;
  const isKnown = contents !== undefined && walk.survey.get(contents)?.whole === true;
  const expected = new Map<string, Expected>();
  let observer: ReturnType<SourceWalk['observe']> | undefined;
  const document = await checkDocument(file.read(manifest), {
    onHead: (head, kind) => {
      if (isKnown) return;
      observer = walk.observe({ uri: member.loc, kind, head, set: dump.set, archived: false });
    },
    onEntry: (entry) => {
      observer?.(entry);
      const {
        md: [md = noAttributes],
        links,
        number,
        locs,
      } = entry;
      const place = `entry ${number}: ${locs[0] ?? '?'}`;
      const path = md.get('path');
      if (path !== undefined) expected.set(path, { place, facts: md });
      for (const link of links) {
        const linked = link.get('path');
        if (linked !== undefined) expected.set(linked, { place, facts: link, patch: true });
      }
    },
  });
  if (!document.whole && !isKnown) walk.forget(member.loc);
  for (const finding of document.findings) {
    context.findings.at(uri, finding.place)(finding.rule, finding.message, finding.severity);
  }
  const expectedKind = dump.kind === 'RD' ? 'RDM' : 'CDM';
  if (document.kind !== expectedKind) {
    const found = document.head?.md[0]?.get('capability') ?? 'nothing';
    // What keeps its kind from being told has been said.
    if (documentAt(uri, document, [], undefined).isUnclear) return false;
    context.findings.at(uri)(rules.manifestKind, `its capability is ${found}`);
    return false;
  }
  checkManifestTimes(dump.kind, member.md, document.head?.md[0] ?? noAttributes, report);
  checkManifestUp(dump, document.head?.links ?? [], context.findings.at(uri), rules);
  if (contents !== undefined) await compareCopy(contents, file, context);
  await checkMembers(uri, file, expected, context);
  return true;
}

/** RS-RDM-05, RS-CDM-05: to the Capability List, not to the dump. */
function checkManifestUp(
  dump: SurveyedDocument,
  links: readonly Attributes[],
  report: Report,
  rules: PackageRules,
): void {
  const up = links.find((link) => link.get('rel') === 'up')?.get('href');
  if (up === undefined || dump.set === undefined || up === dump.set) return;
  const rule = rules.manifestKind === 'RS-RDM-03' ? 'RS-RDM-05' : 'RS-CDM-05';
  report(`RS-NAV-01 ${rule}`, `up leads to ${up}, not to the Capability List ${dump.set}`);
}

/** RS-RD-12, RS-CD-09. */
async function compareCopy(contents: string, file: PackageFile, context: ManifestContext): Promise<void> {
  const { port, rules, report, note } = context;
  const manifest = file.members.get('manifest.xml');
  if (!manifest) return;
  try {
    const response = await port.get(contents, 'document');
    // That nothing is there has been said by the walk.
    if (response.status !== 200) return await response.discard();
    const [copy, own] = [await contentDigest(response.body), await contentDigest(file.read(manifest))];
    if (copy !== own) report(rules.contents, `${contents} differs from the manifest in the package`);
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    note(`${contents} was not compared: ${describeError(error)}`);
  }
}

/** RS-RDM-06, -11, RS-CDM-04, -11, RS-ATTR-13, RS-LN-13: each path leads to a member, and each member has a path. */
async function checkMembers(
  uri: string,
  file: PackageFile,
  expected: ReadonlyMap<string, Expected>,
  { rules, findings, note, maximumUnpacked }: ManifestContext,
): Promise<void> {
  let left = maximumUnpacked;
  for (const [path, { place, facts, patch }] of expected) {
    const report = findings.at(uri, place);
    const found = file.members.get(path.replace(/^\//, ''));
    if (!found) {
      report(patch ? 'RS-LN-13' : `${rules.members} RS-ATTR-13`, `${path} is not in the package`);
      continue;
    }
    const length = facts.get('length');
    if (length !== undefined && length !== `${found.uncompressedSize}`) {
      report(
        `${rules.memberFacts} RS-ATTR-11`,
        `length is ${length}, but ${path} has ${countOf(found.uncompressedSize, 'byte')}`,
      );
    }
    if (!facts.has('hash')) continue;
    left -= found.uncompressedSize;
    if (left < 0) {
      note(`${uri}: the members are too large to check all of them`);
      return;
    }
    const { wrongHash } = await measure(file.read(found), facts.get('hash'));
    if (wrongHash !== undefined)
      report(`${rules.memberFacts} RS-ATTR-09`, `${path} does not fit ${wrongHash}`);
  }
  const report = findings.at(uri);
  for (const name of file.members.keys()) {
    if (name !== 'manifest.xml' && !expected.has(`/${name}`) && !expected.has(name)) {
      report(rules.members, `${name} is in the package, but not in its manifest`);
    }
  }
  for (const name of file.repeated) report(rules.members, `${name} is in the package more than once`);
}

/** The rules of the two kinds of dumps, where they have the same content. */
export interface PackageRules {
  readonly reach: string;
  readonly stated: string;
  readonly hash: string;
  readonly zip: string;
  readonly contents: string;
  readonly manifest: string;
  readonly topLevel: string;
  readonly manifestKind: string;
  readonly members: string;
  readonly memberFacts: string;
}
