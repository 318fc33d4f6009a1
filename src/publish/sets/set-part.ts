import type { Clock } from '../../core/adapter.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Limits } from '../../core/sitemap.ts';
import type { Database, Queryable } from '../../store/engine/database.ts';
import { countResources } from '../../store/reading/listing.ts';
import type { SetDirectory } from '../disk/set-directory.ts';
import { type SetPaths, setPaths } from '../documents/document-paths.ts';
import type { Policy } from '../policy.ts';
import type { SetDraft } from './set-draft.ts';

/** How far a document is that takes long. */
export interface PublishProgress {
  readonly document: 'resourceList' | 'resourceDump' | 'changeDump';
  readonly done: number;
  readonly total: number | undefined;
}

export interface SetSettings {
  readonly database: Database;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly policy: Policy;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PublishProgress) => void) | undefined;
  /** Counting a set reads through all of it: only for a person who waits. */
  readonly uncounted?: boolean | undefined;
}

/** What the lists, the dumps and the archives of a set all work with. */
export abstract class SetPart<Settings extends SetSettings = SetSettings> {
  protected readonly set: ResourceSet;
  protected readonly settings: Settings;
  protected readonly directory: SetDirectory;
  protected readonly draft: SetDraft;
  protected readonly paths: SetPaths;

  constructor(set: ResourceSet, settings: Settings, directory: SetDirectory, draft: SetDraft) {
    this.set = set;
    this.settings = settings;
    this.directory = directory;
    this.draft = draft;
    this.paths = setPaths(set);
  }

  /** How many resources the set has: counting them is for whoever waits for it. */
  protected async countForWatcher(db: Queryable): Promise<number | undefined> {
    const { onProgress, uncounted } = this.settings;
    return onProgress && !uncounted ? await countResources(db, this.set) : undefined;
  }

  /** Counts what pages have; says at once that it begins. */
  protected counter(
    document: PublishProgress['document'],
    total: number | undefined,
  ): (page: readonly unknown[]) => void {
    const { onProgress } = this.settings;
    let done = 0;
    onProgress?.({ document, done, total });
    return (page) => {
      // The last page of a package may have more than belongs to it.
      done = Math.min(done + page.length, total ?? Number.POSITIVE_INFINITY);
      onProgress?.({ document, done, total });
    };
  }
}
