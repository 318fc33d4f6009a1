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
import type { Filling, KeepManifest } from '../stages/staging.ts';
import type { DueResource, DueResources } from '../state/due-resources.ts';
import { Unpacker } from '../unpacking/unpacker.ts';
import type { Copying } from './copying.ts';
import { type DownloadDeps, download } from './download.ts';
import { ManifestNote } from './manifest-note.ts';
import { type Manifested, ManifestedMembers } from './manifested.ts';
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
/** So many are gathered from the manifest before they are taken: memory does not grow with the package. */
const membersAtOnce = 2_048;

/** What is done with what a manifest says, beside taking what is due. */
export interface Taking {
  /** Told before anything is taken, where no list says what there is. */
  readonly stage?: StatementHandler;
  readonly keep?: KeepManifest | undefined;
  /** Takes from the package meanwhile. */
  readonly filling?: Filling;
}

/** A package that lies here, as it was stated; or why it does not. */
export type FetchedPackage =
  | { readonly uri: string; readonly file: string; readonly trouble?: undefined }
  | { readonly uri: string; readonly trouble: string };

/** Whoever does not take from it leaves it (`leavePackage`). @throws what stops the process */
export async function fetchPackage(
  { uri, hashes, length }: PackageAddress,
  deps: DownloadDeps,
): Promise<FetchedPackage> {
  const fetched = await download(uri, { hashes, length }, {}, { ...deps, asFile: true });
  if (fetched.kind === 'failed') return { uri, trouble: `${uri}: ${fetched.reason}` };
  if (fetched.kind === 'unchanged') return { uri, trouble: `${uri} answers 304` };
  const { file } = fetched.content;
  if (file === undefined) return { uri, trouble: `${uri} is empty` };
  const difference = differenceFrom({ hashes, length }, fetched.content);
  if (difference === undefined) return { uri, file };
  deps.parts.remove(uri);
  return { uri, trouble: `${uri}: ${difference}` };
}

export function leavePackage({ uri, trouble }: FetchedPackage, { parts }: DownloadDeps): void {
  if (trouble === undefined) parts.remove(uri);
}

/**
 * Takes from a package of a dump what is due and as the newest statement has it; everything else stays due.
 * @returns why it is of no use; undefined: it was read to its end
 */
export async function takePackage(
  fetched: FetchedPackage,
  deps: PackageDeps,
  stop: AbortSignal,
  how: Taking = {},
): Promise<string | undefined> {
  if (fetched.trouble !== undefined) return fetched.trouble;
  try {
    return await takeFrom(fetched.file, fetched.uri, deps, stop, how);
  } finally {
    leavePackage(fetched, deps);
  }
}

async function takeFrom(
  file: string,
  uri: string,
  deps: PackageDeps,
  stop: AbortSignal,
  { stage, filling, keep }: Taking,
): Promise<string | undefined> {
  let zip: PackageFile | undefined;
  let taking: TakenMembers | undefined;
  const note = keep && new ManifestNote();
  try {
    zip = await openPackage(file);
    const manifest = zip.members.get('manifest.xml');
    if (!manifest) return `${uri} has no manifest`;
    const members = new ManifestedMembers(zip.members);
    const taken = new TakenMembers(zip, file, deps, stop);
    taking = taken;
    const statement = (found: Statement) => {
      stage?.statement?.(found);
      // What comes at once is not kept for longer than it takes.
      const lean = filling === undefined ? members.lean(found) : found;
      const chosen = filling === undefined ? 'due' : filling.choose(lean);
      if (chosen === undefined) return;
      if (chosen === 'due') members.add(lean);
      else if (!members.add(lean, chosen)) deps.due.left(chosen);
    };
    const place = `${uri}!/manifest.xml`;
    const opened = (document: DocumentOpening) => {
      stage?.opened?.(document);
      filling?.opened(document);
    };
    const linkReading = stage === undefined ? 'left-out' : 'now';
    const handler: StatementHandler = { opened, statement, linkReading };
    // Where the manifest says what there is, all of that is known before anything is taken.
    const few = async () => {
      const most = filling === undefined ? membersAtOnce : 1;
      if (stage === undefined && members.count >= most) await taken.take(members.takeAll());
    };
    const read = zip.read(manifest);
    const bytes = betweenChunks(note?.noting(read) ?? read, few);
    await parseSourceDocument(bytes, place, handler, deps.remarks.at(place));
    const packed = await note?.finish();
    if (packed !== undefined) keep?.(packed);
    // Whatever a kill leaves in the copy is looked for among what is due (`recovery.ts`).
    if (stage) deps.copying.deps.database.flush();
    await taken.take(members.takeAll());
    await taken.settle();
    return taken.trouble === undefined ? undefined : `${uri}: ${taken.trouble}`;
  } catch (error) {
    // yauzl throws errors without a class of their own for whatever is wrong with a ZIP.
    const isOfZip = error instanceof Error && error.constructor === Error;
    if (!isOfZip && !(isBridgeError(error) && /^upstream/.test(error.code))) throw error;
    return `${uri}: ${describeError(error)}`;
  } finally {
    await taking?.close();
    note?.close();
    zip?.close();
  }
}

/** @param then awaited when what has to do with a chunk is done */
async function* betweenChunks(
  bytes: AsyncIterable<Uint8Array>,
  then: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    yield chunk;
    await then();
  }
}

/** Members of a package on their way into the copy. */
class TakenMembers {
  readonly #zip: PackageFile;
  readonly #deps: PackageDeps;
  readonly #stop: AbortSignal;
  readonly #unpacker: Unpacker;
  readonly #files: UnpackedFiles;
  #failure: { readonly error: unknown } | undefined;

  constructor(zip: PackageFile, file: string, deps: PackageDeps, stop: AbortSignal) {
    this.#zip = zip;
    this.#deps = deps;
    this.#stop = stop;
    const unpacker = new Unpacker(deps.threads);
    this.#unpacker = unpacker;
    this.#files = new UnpackedFiles({
      package: file,
      copying: deps.copying,
      unpack: unpacker.unpack.bind(unpacker),
    });
  }

  /** Why the rest of the package is of no use. */
  get trouble(): string | undefined {
    return this.#files.trouble;
  }

  /** What fails is thrown by `settle`, so that nobody takes it for a fault of the manifest, which is still being read. */
  async take(members: readonly Manifested[]): Promise<void> {
    try {
      for (const found of members) {
        if (this.#stop.aborted || this.trouble !== undefined || this.#failure !== undefined) return;
        if (!takeSmall(this.#files, found, this.#deps.due))
          await takeMember(this.#zip, this.#files, found, this.#deps);
        else if (this.#files.isFull) await this.#files.send();
      }
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  async settle(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    await this.#files.settle();
  }

  /** Whatever ended it: what lies in the copy is to be in the state. */
  async close(): Promise<void> {
    await this.#files.settle().catch(() => undefined);
    this.#unpacker.close();
  }
}

/** @returns false: it takes time */
function takeSmall(files: UnpackedFiles, found: Manifested, due: DueResources): boolean {
  if (!isSmallMember(found.place)) return false;
  const wanted = found.due ?? due.find(found.loc);
  if (wanted === undefined || (found.due === undefined && !isOneState(wanted, found))) return true;
  return files.take(wanted, found);
}

async function takeMember(
  zip: PackageFile,
  files: UnpackedFiles,
  found: Manifested,
  { due, copying }: PackageDeps,
): Promise<void> {
  if (found.due !== undefined) due.left(found.due);
  let wanted = due.find(found.loc);
  if (wanted === undefined || !isOneState(wanted, found)) return;
  const member = found.place;
  if (member.uncompressedSize > largestMember) return;
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
function isOneState(wanted: DueResource, found: Manifested): boolean {
  const { hashes, length, lastmod } = found;
  if (length === undefined) return wanted.lastmod !== undefined && wanted.lastmod === lastmod;
  return isAsStated({ hashes, length, lastmod }, wanted) === true;
}
