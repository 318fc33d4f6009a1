import type { AdapterSettings, FileAccess } from '../adapter.ts';
import type { Bitstream } from '../dspace/dspace-item.ts';
import type { AccessRight } from './vocabularies/coar-terms.ts';
import type { Circumstances, SourceCircumstances, WorkFile } from './work.ts';

/** A file of an item, with what its repository says of who may read it. */
export interface StatedFile {
  readonly bitstream: Bitstream;
  readonly access: FileAccess;
  /** ISO UTC. */
  readonly availableAt?: string | undefined;
  /** Where the repository hands it out; undefined: files are not published. */
  readonly url?: string | undefined;
}

export interface StatedAccess {
  readonly files: readonly StatedFile[];
  /** What the repository says of the item, which is about its first file; undefined: nothing. */
  readonly ofItem?: FileAccess | undefined;
  /** Its list has every file, those that nobody may read as well. */
  readonly isWhole: boolean;
}

/** What is configured of a repository. */
export function circumstancesOfSource({
  fields,
  jpcoar,
  openaire,
  doiPrefixes,
}: NonNullable<AdapterSettings['crosswalk']> = {}): SourceCircumstances {
  return {
    localFields: fields,
    localFieldsOf: { 'jpcoar_2.0': jpcoar, oai_openaire: openaire },
    doiPrefixes,
  };
}

/**
 * Who may read an item's files, as far as its repository says so: one open file makes it open; a file of which nothing
 * is known leaves the question open. Only the bundle ORIGINAL counts.
 */
export function circumstancesOf(
  stated: StatedAccess,
): Pick<Circumstances, 'access' | 'availableAt' | 'files'> {
  const originals = stated.files.filter(({ bitstream }) => bitstream.bundleName === 'ORIGINAL');
  const files = originals.flatMap(toWorkFile);
  const ends = originals.flatMap(({ access, availableAt = '' }) =>
    access === 'embargoed' ? availableAt : [],
  );
  const availableAt = ends.filter((end) => end !== '').sort()[0];
  return { access: accessOf(stated, originals, availableAt), availableAt, files };
}

function accessOf(
  { ofItem, isWhole }: StatedAccess,
  files: readonly StatedFile[],
  availableAt: string | undefined,
): AccessRight | undefined {
  const has = (wanted: FileAccess) => files.some(({ access }) => access === wanted);
  if (has('open') || (has('unknown') && ofItem === 'open')) return 'open';
  if (has('unknown')) return undefined;
  if (files.length > 0) return availableAt === undefined ? 'restricted' : 'embargoed';
  if (ofItem === 'restricted' || ofItem === 'embargoed') return 'restricted';
  return isWhole && ofItem !== 'open' ? 'metadataOnly' : undefined;
}

function toWorkFile({ bitstream, access, url }: StatedFile): readonly WorkFile[] {
  if (access !== 'open' || url === undefined) return [];
  const { name, mimeType, sizeBytes } = bitstream;
  return [{ url, name, mediaType: mimeType, length: sizeBytes }];
}
