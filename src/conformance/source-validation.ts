import { describeError, isBridgeError } from '../core/errors.ts';
import { essenceOf, type SourcePort } from '../resourcesync/source-port.ts';
import { checkChannels } from './channels/channel-check.ts';
import { checkRobots, checkWellKnown } from './discovery/discovery-check.ts';
import { findStart, type StartingPoint } from './discovery/starting-point.ts';
import type { DocumentKind } from './documents/document-kind.ts';
import type { Finding } from './documents/finding.ts';
import { FindingsByUri } from './documents/findings-by-uri.ts';
import { checkPackage } from './packages/package-check.ts';
import type { CheckedDocument } from './rules/document-check.ts';
import { checkSamples } from './samples/sample-check.ts';
import { SetSamples } from './samples/set-samples.ts';
import { CutShort, SourceWalk } from './survey/source-check.ts';
import { isDump, type SurveyedDocument } from './survey/survey.ts';

export interface ValidationOptions {
  /** False: the document at the address, and nothing else. */
  readonly follow: boolean;
  /** Resources of each set to dereference. */
  readonly sample: number;
  /** Packages of each dump to look into; of the others only the headers are checked. */
  readonly packages: number;
  /** Larger packages are not looked into. */
  readonly maximumPackageBytes: number;
  readonly maximumDocuments: number;
  /** Findings of one rule in one document; further ones are counted. */
  readonly maximumFindings: number;
  readonly onProgress?: (progress: ValidationProgress) => void;
}

/** How far one part of a validation is. */
export interface ValidationProgress {
  readonly work: 'documents' | 'packages' | 'resources';
  readonly done: number;
  /** As far as is known by now. */
  readonly total: number;
  /** Of the documents that were read. */
  readonly entries?: number;
}

export interface ValidatedUri {
  readonly uri: string;
  /** Undefined for what is no document: robots.txt, what nothing answered. */
  readonly kind: DocumentKind | undefined;
  readonly entries: number;
  readonly findings: readonly Finding[];
  /** By rule, how many more there are. */
  readonly suppressed: ReadonlyMap<string, number>;
}

export interface Validation {
  readonly uris: readonly ValidatedUri[];
  /** What could not be checked, in sentences. */
  readonly notes: readonly string[];
  readonly documents: number;
  readonly entries: number;
  readonly sampled: number;
  readonly packages: number;
}

/**
 * Checks everything about a Source that can be seen from outside, from an address on.
 * @throws BridgeError where the address cannot be reached
 */
export async function validateSource(
  address: URL,
  way: SourcePort,
  options: ValidationOptions,
): Promise<Validation> {
  const port = withMemory(way);
  const findings = new FindingsByUri(options.maximumFindings);
  const notes = new Set<string>();
  const note = (message: string) => notes.add(message);
  const start: StartingPoint | undefined = options.follow
    ? await findStart(address, port, findings)
    : { uri: address.href, advertised: [] };
  const samples = new SetSamples(options.follow ? options.sample : 0);
  const walk = createWalk(port, samples, findings, options);
  let sampled = 0;
  let packages = 0;
  if (start) await walk.from(start.uri);
  if (start && options.follow) {
    if (walk.cut) {
      note(`only the first ${options.maximumDocuments} documents were read; --max-documents reads more`);
    }
    for (const { rule, page, target } of start.advertised) {
      await walk.from(target);
      if (walk.survey.get(target)?.kind !== 'CAP') {
        findings.at(page)(rule, `the resourcesync link leads to ${target}, no Capability List`);
      }
    }
    const context = { port, walk, findings, note };
    await checkWellKnown(start.uri, context);
    await checkRobots(start.uri, context);
    await checkChannels(context);
    packages = await checkPackages(walk, context, options);
    sampled = await checkSamples(samples, {
      ...context,
      onProgress: (done, total) => options.onProgress?.({ work: 'resources', done, total }),
    });
  }
  const uris = merge(walk, findings);
  for (const [set, inventory] of walk.inventories) {
    if (inventory.full) note(`${set} has too many resources to compare its lists with one another`);
  }
  const entries = uris.reduce((sum, uri) => sum + uri.entries, 0);
  return { uris, notes: [...notes], documents: walk.survey.size, entries, sampled, packages };
}

/** A host that never answered is not asked again; nor is one blamed for where it redirected to. What is refused is refused anew: a redirect may have led there. */
function withMemory(port: SourcePort): SourcePort {
  const failures = new Map<string, unknown>();
  const answered = new Set<string>();
  return {
    async get(uri, purpose, headers) {
      const host = URL.canParse(uri) ? new URL(uri).origin : uri;
      if (failures.has(host)) throw failures.get(host);
      try {
        const response = await port.get(uri, purpose, headers);
        answered.add(host);
        return response;
      } catch (error) {
        const isOfHost =
          isBridgeError(error, 'upstream-unreachable') && error.message.startsWith(hostOf(uri));
        if (isOfHost && !answered.has(host)) failures.set(host, error);
        throw error;
      }
    },
  };
}

function hostOf(uri: string): string {
  return URL.canParse(uri) ? `${new URL(uri).host} ` : uri;
}

function createWalk(
  port: SourcePort,
  samples: SetSamples,
  findings: FindingsByUri,
  { follow, maximumDocuments, maximumFindings, onProgress }: ValidationOptions,
): SourceWalk {
  let entries = 0;
  const reasons = new Map<string, string>();
  const cutShort = new Set<string>();
  let documents = 0;
  const fetch = async (uri: string) => {
    try {
      const response = await port.get(uri, 'document');
      if (response.status !== 200) {
        await response.discard();
        reasons.set(uri, `it answers ${response.status}`);
        return undefined;
      }
      const type = essenceOf(response.headers['content-type']);
      if (type !== 'application/xml') {
        findings.at(uri)('RS-GEN-27', `its Content-Type is ${type ?? 'missing'}, not application/xml`);
      }
      return untilBroken(response.body, (reason) => {
        cutShort.add(uri);
        findings.at(uri)('RS-GEN-19', `it was cut short, and is not judged: ${reason}`, 'error');
      });
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      reasons.set(uri, `it cannot be fetched: ${describeError(error)}`);
      return undefined;
    }
  };
  return new SourceWalk(fetch, {
    follow,
    maximumDocuments,
    maximumFindings,
    reasonOf: (uri) => reasons.get(uri),
    observe: (document) => samples.observe(document),
    onProgress: (done, total) => onProgress?.({ work: 'documents', done, total, entries }),
    onDocument: (uri, document) => {
      documents += 1;
      entries += document?.entries ?? 0;
      // What was linked is reported where the link is; the first document was not.
      if (!document && documents === 1 && !cutShort.has(uri)) {
        findings.at(uri)('RS-DISC-01', reasons.get(uri) ?? 'nothing is there', 'error');
      }
    },
  });
}

/** A body that ends early is no document: half of one would break rules that the whole keeps. */
async function* untilBroken(body: AsyncIterable<Uint8Array>, report: (reason: string) => void) {
  try {
    yield* body;
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    report(describeError(error));
    throw new CutShort(error.message, { cause: error });
  }
}

async function checkPackages(
  walk: SourceWalk,
  context: { port: SourcePort; walk: SourceWalk; findings: FindingsByUri; note: (message: string) => void },
  options: ValidationOptions,
): Promise<number> {
  if (options.packages === 0) return 0;
  const dumps = [...walk.survey.values()].filter(isDumpDocument);
  const total = dumps.reduce((sum, { members }) => sum + members.length, 0);
  let checked = 0;
  let done = 0;
  for (const dump of dumps) {
    const every = Math.max(1, Math.ceil(dump.members.length / options.packages));
    for (const [position, member] of dump.members.entries()) {
      options.onProgress?.({ work: 'packages', done, total });
      done += 1;
      const report = context.findings.at(dump.uri, `entry ${position + 1}: ${member.loc}`);
      if (!URL.canParse(member.loc)) continue;
      const [maximumBytes, maximumUnpacked] = [options.maximumPackageBytes, options.maximumPackageBytes * 4];
      // Spread over the dump, the first one always.
      const download = position % every === 0;
      const limits = { maximumBytes, maximumUnpacked, download };
      if (await checkPackage(dump, member, { ...context, ...limits, report })) checked += 1;
    }
  }
  return checked;
}

function isDumpDocument(
  document: SurveyedDocument,
): document is SurveyedDocument & { readonly kind: 'RD' | 'CD' } {
  return isDump(document.kind);
}

/** In the order of the walk, then what is no document. */
function merge(walk: SourceWalk, findings: FindingsByUri): readonly ValidatedUri[] {
  const walked = walk.conclude().map(({ uri, document, findings: own }) => ({
    uri,
    kind: document?.kind,
    entries: document?.entries ?? 0,
    findings: [...own, ...findings.of(uri)],
    suppressed: add(document, findings.suppressedOf(uri)),
  }));
  const known = new Set(walked.map(({ uri }) => uri));
  const others = findings.uris().filter((uri) => !known.has(uri));
  return [
    ...walked,
    ...others.map((uri) => ({
      ...{ uri, kind: undefined, entries: 0 },
      ...{ findings: findings.of(uri), suppressed: findings.suppressedOf(uri) },
    })),
  ];
}

function add(
  document: CheckedDocument | undefined,
  more: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const sums = new Map(document?.suppressed ?? []);
  for (const [rule, count] of more) sums.set(rule, (sums.get(rule) ?? 0) + count);
  return sums;
}
