import { describeError, isBridgeError } from '../../core/errors.ts';
import type { Threads } from '../../core/threads.ts';
import { openPackage, type PackageFile } from '../../resourcesync/packages/package-file.ts';
import { isSmallMember } from '../../resourcesync/packages/small-member.ts';
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
import { Unpacker } from '../unpacking/unpacker.ts';
import type { Copying } from './copying.ts';
import { type DownloadDeps, download } from './download.ts';
import { UnpackedFiles } from './unpacked-files.ts';

export interface PackageAddress {
  readonly uri: string;
  readonly hashes: readonly string[];
  readonly length: number | undefined;
}

export interface PackageDeps extends DownloadDeps {
  readonly due: DueResources;
  readonly copying: Copying;
  readonly remarks: Remarks;
  /** Undefined: there are none. */
  readonly threads: Threads | undefined;
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
      if (found.path !== undefined) wanted.push(small(found));
    };
    const place = `${uri}!/manifest.xml`;
    const opened = (document: DocumentOpening) => stage?.opened?.(document);
    const handler = { opened, statement, withoutLinks: stage === undefined };
    await parseSourceDocument(zip.read(manifest), place, handler, deps.remarks.at(place));
    // Whatever a kill leaves in the copy is looked for among what is due (`recovery.ts`).
    if (stage) deps.copying.deps.database.flush();
    const trouble = await takeMembers(zip, file, wanted, deps, stop);
    return trouble === undefined ? undefined : `${uri}: ${trouble}`;
  } catch (error) {
    // yauzl throws errors without a class of their own for whatever is wrong with a ZIP.
    const isOfZip = error instanceof Error && error.constructor === Error;
    if (!isOfZip && !(isBridgeError(error) && /^upstream/.test(error.code))) throw error;
    return `${uri}: ${describeError(error)}`;
  } finally {
    zip?.close();
  }
}

/** A package has tens of thousands of members: what is kept of each holds no piece of the manifest back. */
function small(found: Statement): Statement {
  const { loc, path, hashes } = found;
  return { ...found, loc: own(loc), path: path && own(path), hashes: hashes.map(own), links: [] };
}

/** A text that is cut from another one keeps all of that in memory. */
function own(text: string): string {
  return Buffer.from(text).toString();
}

/** @returns why it could not be read to its end */
async function takeMembers(
  zip: PackageFile,
  file: string,
  wanted: readonly Statement[],
  deps: PackageDeps,
  stop: AbortSignal,
): Promise<string | undefined> {
  const unpacker = new Unpacker(deps.threads);
  const files = new UnpackedFiles({
    package: file,
    copying: deps.copying,
    unpack: unpacker.unpack.bind(unpacker),
  });
  try {
    for (const found of wanted) {
      if (stop.aborted || files.trouble !== undefined) break;
      await takeMember(zip, files, found, deps);
    }
    await files.settle();
    return files.trouble;
  } finally {
    // Whatever ended it: what lies in the copy is to be in the state.
    await files.settle().catch(() => undefined);
    unpacker.close();
  }
}

async function takeMember(
  zip: PackageFile,
  files: UnpackedFiles,
  found: Statement,
  { due, copying }: PackageDeps,
): Promise<void> {
  let wanted = due.find(found.loc);
  if (wanted === undefined || !isOneState(wanted, found)) return;
  const member = zip.members.get((found.path ?? '').replace(/^\//, ''));
  if (!member || member.uncompressedSize > largestMember) return;
  if (isSmallMember(member) && (await files.take(wanted, found, member))) return;
  // It has to do with one of them, perhaps.
  await files.settle();
  wanted = due.find(found.loc);
  if (wanted === undefined) return;
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
