import type { ResourceSet } from '../../core/resource-set.ts';
import type { Limits } from '../../core/sitemap.ts';
import { toUri } from '../../core/uris.ts';
import type { ChangeEntry } from '../../store/reading/listing.ts';
import type { OpenFile, Partition } from '../disk/change-state.ts';
import { DocumentFile } from '../disk/document-file.ts';
import { gzipEnd, gzipHead } from '../disk/gzip-pieces.ts';
import type { StoredDocument } from '../disk/pointer.ts';
import { constantSlice } from '../disk/slices.ts';
import { type DocumentFacts, storeDocument, toEtag } from '../disk/stored-document.ts';
import type { SetPaths } from '../documents/document-paths.ts';
import { listTail, renderListHead } from '../documents/entry-writer.ts';
import { closeByTime, emptyPartition, placeChange, type Step } from './change-partition.ts';
import { OpenListFile } from './open-list-file.ts';

export interface ChangeListSettings {
  readonly directory: string;
  readonly baseUrl: string;
  readonly set: ResourceSet;
  readonly paths: SetPaths;
  readonly limits: Limits;
  /** How long a list stays open. */
  readonly slotMinutes: number;
  /** ISO; `Last-Modified` of what is written now. */
  readonly now: string;
}

export interface WrittenChangeLists {
  readonly partition: Partition;
  readonly openFile: OpenFile | undefined;
  readonly open: { readonly path: string; readonly document: StoredDocument } | undefined;
  /** Those that were closed now, oldest first. */
  readonly closed: Readonly<Record<string, StoredDocument>>;
}

/** The dated Change Lists: appends changes to the open one and closes it when its time has come. */
export class ChangeListWriter {
  readonly #settings: ChangeListSettings;
  readonly #limits: Limits;
  readonly #closed: Record<string, StoredDocument> = {};
  #partition: Partition;
  #file: OpenListFile | undefined;
  /** The one that was just closed, and how many bytes of its entries it kept. */
  #leaving: { readonly file: OpenListFile; readonly kept: number } | undefined;

  static async start(
    settings: ChangeListSettings,
    partition: Partition = emptyPartition,
    openFile?: OpenFile,
  ): Promise<ChangeListWriter> {
    const file = openFile && (await OpenListFile.resume(settings.directory, openFile));
    return new ChangeListWriter(settings, partition, file);
  }

  private constructor(settings: ChangeListSettings, partition: Partition, file: OpenListFile | undefined) {
    this.#settings = settings;
    this.#limits = framed(settings);
    this.#partition = partition;
    this.#file = file;
  }

  /** @param text the change as an entry */
  async append(change: Pick<ChangeEntry, 'datetime'>, text: string, bytes: number): Promise<void> {
    const { partition, steps } = placeChange(
      this.#partition,
      { datetime: change.datetime, bytes },
      this.#limits,
      this.#settings.slotMinutes,
    );
    await this.#take(steps);
    this.#partition = partition;
    await this.#file?.append(text);
  }

  /**
   * @param journalAt up to where the journal's clock was advanced
   * @param close the open list too, which ends there
   */
  async finish(journalAt: string, close = false): Promise<WrittenChangeLists> {
    const { slotMinutes } = this.#settings;
    const { partition, steps } = closeByTime(this.#partition, journalAt, slotMinutes, close);
    await this.#take(steps);
    this.#partition = partition;
    const openFile = await this.#file?.seal();
    await this.#file?.close();
    this.#file = undefined;
    const open = openFile && this.#openDocument(openFile);
    return { partition, openFile, open, closed: this.#closed };
  }

  async abandon(): Promise<void> {
    await this.#file?.close();
    await this.#leaving?.file.close();
    this.#file = undefined;
  }

  async #take(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.kind === 'close') await this.#close(step);
      else await this.#open(step);
    }
    await this.#leaving?.file.drop();
    this.#leaving = undefined;
  }

  async #close(step: Step & { kind: 'close' }): Promise<void> {
    const file = this.#file;
    if (!file) throw new Error('a Change List closes that was never open');
    const path = this.#settings.paths.changeList(step.from, step.ordinal);
    const final = new DocumentFile(this.#settings.directory, fileName(this.#settings, path));
    try {
      await final.append(Buffer.from(renderHead(this.#settings, step.from, step.until)));
      for await (const chunk of file.entries(0, step.kept.bytes)) await final.append(chunk);
      await final.append(Buffer.from(listTail));
    } catch (error) {
      await final.discard();
      throw error;
    }
    const facts = this.#facts(step.kept.entries, step.from, step.until);
    this.#closed[path] = storeDocument(facts, await final.finish());
    this.#file = undefined;
    this.#leaving = { file, kept: step.kept.bytes };
  }

  async #open(step: Step & { kind: 'open' }): Promise<void> {
    const { directory, paths } = this.#settings;
    const name = fileName(this.#settings, paths.changeList(step.from, step.ordinal));
    const file = await OpenListFile.create(directory, name, renderHead(this.#settings, step.from));
    this.#file = file;
    if (!this.#leaving) return;
    const { file: last, kept } = this.#leaving;
    for await (const chunk of last.entries(kept)) await file.appendBytes(chunk);
    await last.drop();
    this.#leaving = undefined;
  }

  #openDocument(file: OpenFile): WrittenChangeLists['open'] {
    const { open } = this.#partition;
    if (!open) return undefined;
    const tail = Buffer.from(listTail);
    const document: StoredDocument = {
      ...this.#facts(open.entries, open.from),
      plain: {
        etag: toEtag(file.digest),
        slices: [{ file: file.plain, start: 0, end: file.length }, constantSlice(tail)],
      },
      gzip: {
        etag: toEtag(`gz${file.digest}`),
        slices: [
          constantSlice(gzipHead),
          { file: file.deflated, start: 0, end: file.deflatedLength },
          constantSlice(gzipEnd(file, tail)),
        ],
      },
    };
    return { path: this.#settings.paths.changeList(open.from, open.ordinal), document };
  }

  #facts(entries: number, from: string, until?: string): DocumentFacts {
    const lastModified = this.#settings.now;
    return { capability: 'changelist', entries, lastModified, immutable: until !== undefined, from, until };
  }
}

function renderHead({ baseUrl, paths }: ChangeListSettings, from: string, until?: string): string {
  return renderListHead({
    baseUrl,
    capability: 'changelist',
    up: toUri(baseUrl, paths.capabilityList),
    index: toUri(baseUrl, paths.changeListIndex),
    from,
    until,
  });
}

/** What is left for entries. Counted with `until` from the start, so that closing never goes over it. */
function framed(settings: ChangeListSettings): Limits {
  const never = '9999-12-31T00:00:00Z';
  const frame = Buffer.byteLength(renderHead(settings, never, never) + listTail);
  const bytes = settings.limits.bytes - frame;
  // The manifest of a package has the same entries, and in each a path: less than a third of what it is added to.
  return { entries: settings.limits.entries, bytes: settings.set.dumps ? Math.floor(bytes * 0.75) : bytes };
}

function fileName({ set }: ChangeListSettings, path: string): string {
  return path.slice(set.path.length + 1, -'.xml'.length).replaceAll('/', '~');
}
