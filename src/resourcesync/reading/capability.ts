import { BridgeError } from '../../core/errors.ts';
import { type Attributes, type DocumentEntry, noAttributes } from '../documents/document-model.ts';
import type { Report } from '../documents/report.ts';

/** What a document is; of lists and dumps an index is one, too. Archives and notifications are not read. */
export type Capability =
  | 'description'
  | 'capabilitylist'
  | 'resourcelist'
  | 'changelist'
  | 'resourcedump'
  | 'changedump'
  | 'resourcedump-manifest'
  | 'changedump-manifest';

const capabilities: ReadonlySet<string> = new Set<Capability>([
  ...(['description', 'capabilitylist', 'resourcelist', 'changelist'] as const),
  ...(['resourcedump', 'changedump', 'resourcedump-manifest', 'changedump-manifest'] as const),
]);

/** What ResourceSync 0.9, and programs that were written by heart, call them. */
const otherNames: Readonly<Record<string, Capability>> = {
  resourcesync: 'description',
  sourcedescription: 'description',
  capability: 'capabilitylist',
};

/**
 * @param given as it is written
 * @returns the capability that is meant; undefined for none and for others
 */
export function meantCapability(given: string | undefined): Capability | undefined {
  if (given === undefined) return undefined;
  if (capabilities.has(given)) return given as Capability;
  const bare = given
    .trim()
    .toLowerCase()
    .replace(/[\s_]/g, '')
    .replace(/-?index$/, '')
    .replace(/(list|dump|manifest)s$/, '$1');
  const joined = bare.replace(/-(?!manifest)/g, '').replace(/(dump)(manifest)$/, '$1-$2');
  return capabilities.has(joined) ? (joined as Capability) : otherNames[joined];
}

/** The same of a document: where it says nothing, of what its first entry looks like. */
export function capabilityOf(
  md: Attributes,
  first: DocumentEntry | undefined,
  report: Report,
): { readonly capability: Capability; readonly isStated: boolean } | undefined {
  const given = md.get('capability');
  const stated = meantCapability(given);
  if (stated !== undefined) {
    if (stated !== given) report('RS-GEN-04', `its capability is ${given}, which is taken for ${stated}`);
    return { capability: stated, isStated: true };
  }
  if (given !== undefined) return undefined;
  const capability = capabilityByEntry(md, first?.md[0] ?? noAttributes);
  report('RS-GEN-03', `its capability is missing; it is read as ${capability}`);
  return { capability, isStated: false };
}

function capabilityByEntry(md: Attributes, entry: Attributes): Capability {
  const below = meantCapability(entry.get('capability'));
  if (below === 'capabilitylist') return 'description';
  if (below !== undefined) return 'capabilitylist';
  if (entry.has('path')) return entry.has('change') ? 'changedump-manifest' : 'resourcedump-manifest';
  // A plain Sitemap is a list of resources.
  return entry.has('change') || md.has('from') ? 'changelist' : 'resourcelist';
}

const titles: Readonly<Record<Capability, string>> = {
  description: 'Source Description',
  capabilitylist: 'Capability List',
  resourcelist: 'Resource List',
  changelist: 'Change List',
  resourcedump: 'Resource Dump',
  changedump: 'Change Dump',
  'resourcedump-manifest': 'manifest of a Resource Dump',
  'changedump-manifest': 'manifest of a Change Dump',
};

interface DocumentKind {
  readonly capability: Capability;
  readonly isStated: boolean;
  readonly isIndex: boolean;
}

/**
 * What stands in the place of a list and is another one names nothing that there is: without this all would be called absent.
 * @param expected undefined: whatever is there
 * @param hasChanges its entries say how resources have changed
 * @throws BridgeError `upstream-protocol` where a document says that it is of another kind, or lists changes where resources are expected
 */
export function refuseOtherKind(
  uri: string,
  document: DocumentKind | undefined,
  expected: Capability | undefined,
  hasChanges = false,
): void {
  if (document === undefined || expected === undefined) return;
  const { capability, isStated, isIndex } = document;
  if (isStated && capability !== expected)
    throw ofOtherKind(uri, titles[capability], `it says ${capability}`, expected);
  if (isStated || !isOfWhatThereIs(expected)) return;
  const isOfLists = capability === 'capabilitylist' || capability === 'description';
  if (isOfLists && !isIndex) throw ofOtherKind(uri, titles[capability], 'its entries are lists', expected);
  if (hasChanges) throw ofOtherKind(uri, titles.changelist, 'its entries are changes', expected);
}

function ofOtherKind(uri: string, title: string, says: string, expected: Capability): BridgeError {
  return new BridgeError(
    'upstream-protocol',
    `${uri} is a ${title} (${says}), where a ${titles[expected]} should be`,
  );
}

/**
 * Who says neither what it is nor names anything may be an error of a server.
 * @throws BridgeError `upstream-protocol`
 */
export function refuseSilence(
  uri: string,
  { isStated }: Pick<DocumentKind, 'isStated'>,
  entries: number,
  expected: Capability | undefined,
): void {
  if (isStated || entries > 0 || expected === undefined) return;
  if (isOfWhatThereIs(expected))
    throw new BridgeError(
      'upstream-protocol',
      `${uri} names nothing that belongs in a ${titles[expected]}, and does not say that it is one`,
    );
}

/** What it does not name is not there; in documents of changes nothing follows from that. */
function isOfWhatThereIs(capability: Capability): boolean {
  return capability.startsWith('resource');
}
