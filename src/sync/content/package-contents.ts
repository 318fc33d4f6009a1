import { describeError, isBridgeError } from '../../core/errors.ts';
import { openPackage, type PackageFile } from '../../resourcesync/packages/package-file.ts';
import { ContentDigest, differenceFrom } from '../../resourcesync/reading/content-digest.ts';
import type { Remarks } from '../../resourcesync/reading/remarks.ts';
import {
  type DocumentOpening,
  parseSourceDocument,
  type StatementHandler,
} from '../../resourcesync/reading/source-document.ts';
import type { Statement } from '../../resourcesync/reading/statement.ts';
import { isAsStated } from '../stages/as-stated.ts';
import type { DueResource, DueResources } from '../state/due-resources.ts';
import type { Copying } from './copying.ts';
import { type DownloadDeps, download } from './download.ts';

export interface PackageAddress {
  readonly uri: string;
  readonly hashes: readonly string[];
  readonly length: number | undefined;
}

export interface PackageDeps extends DownloadDeps {
  readonly due: DueResources;
  readonly copying: Copying;
  readonly remarks: Remarks;
}

/** A member is held in memory while it is compared; larger ones are fetched by their address. */
const largestMember = 64 * 1024 * 1024;

/**
 * Takes from a package of a dump what is due and as the newest statement has it; everything else stays due.
 * @param stage told what its manifest says before anything is taken, where no list says what there is
 * @returns why it is of no use; undefined: it was read to its end
 */
export async function takePackage(
  address: PackageAddress,
  deps: PackageDeps,
  stop: AbortSignal,
  stage?: StatementHandler,
): Promise<string | undefined> {
  const { uri, hashes, length } = address;
  const fetched = await download(uri, { hashes, length }, {}, { ...deps, asFile: true });
  if (fetched.kind === 'failed') return `${uri}: ${fetched.reason}`;
  if (fetched.kind === 'unchanged') return `${uri} answers 304`;
  const { file } = fetched.content;
  if (file === undefined) return `${uri} is empty`;
  try {
    const difference = differenceFrom({ hashes, length }, fetched.content);
    if (difference !== undefined) return `${uri}: ${difference}`;
    return await takeFrom(file, uri, deps, stop, stage);
  } finally {
    deps.parts.remove(uri);
  }
}

async function takeFrom(
  file: string,
  uri: string,
  deps: PackageDeps,
  stop: AbortSignal,
  stage: StatementHandler | undefined,
): Promise<string | undefined> {
  let zip: PackageFile | undefined;
  try {
    zip = await openPackage(file);
    const manifest = zip.members.get('manifest.xml');
    if (!manifest) return `${uri} has no manifest`;
    const wanted: Statement[] = [];
    const statement = (found: Statement) => {
      stage?.statement?.(found);
      // A package has tens of thousands of members, and links are the most of what is said of each.
      if (found.path !== undefined) wanted.push({ ...found, links: [] });
    };
    const place = `${uri}!/manifest.xml`;
    const opened = (document: DocumentOpening) => stage?.opened?.(document);
    await parseSourceDocument(zip.read(manifest), place, { opened, statement }, deps.remarks.at(place));
    // Whatever a kill leaves in the copy is looked for among what is due (`recovery.ts`).
    if (stage) deps.copying.deps.database.flush();
    for (const found of wanted) {
      if (stop.aborted) return undefined;
      await takeMember(zip, found, deps);
    }
    return undefined;
  } catch (error) {
    // yauzl throws errors without a class of their own for whatever is wrong with a ZIP.
    const isOfZip = error instanceof Error && error.constructor === Error;
    if (!isOfZip && !(isBridgeError(error) && /^upstream/.test(error.code))) throw error;
    return `${uri}: ${describeError(error)}`;
  } finally {
    zip?.close();
  }
}

async function takeMember(zip: PackageFile, found: Statement, { due, copying }: PackageDeps): Promise<void> {
  const wanted = due.find(found.loc);
  if (wanted === undefined || !isOneState(wanted, found)) return;
  const member = zip.members.get((found.path ?? '').replace(/^\//, ''));
  if (!member || member.uncompressedSize > largestMember) return;
  const digest = new ContentDigest(wanted);
  const chunks: Uint8Array[] = [];
  const whole = zip.readWhole(member);
  for await (const chunk of whole === undefined ? zip.read(member) : [whole]) {
    digest.update(chunk);
    chunks.push(chunk);
  }
  const facts = digest.finish();
  // Whatever is wrong with it, its own address may have it right.
  if (
    differenceFrom(wanted, facts) !== undefined ||
    differenceFrom({ hashes: [], length: found.length }, facts) !== undefined
  )
    return;
  const content = { ...facts, bytes: whole ?? Buffer.concat(chunks), file: undefined };
  const nothing = { etag: undefined, lastModified: undefined, mediaType: found.type } as const;
  await copying.place(wanted, content, { ...nothing, isProvisional: false, means: 'package' });
}

/** Whether a manifest speaks of the state of a resource that is wanted. */
function isOneState(wanted: DueResource, found: Statement): boolean {
  const { hashes, length, lastmod } = found;
  if (length === undefined) return wanted.lastmod !== undefined && wanted.lastmod === lastmod;
  return isAsStated({ hashes, length, lastmod }, wanted) === true;
}
