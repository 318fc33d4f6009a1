import { performance } from 'node:perf_hooks';
import type { Clock, Log } from '../core/adapter.ts';
import { failure } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { type Limits, sitemapLimits } from '../core/sitemap.ts';
import type { Database } from '../store/engine/database.ts';
import { publicationError } from './disk/publication-error.ts';
import { defaultPolicy, type Policy } from './policy.ts';
import { publicationRoot } from './published/publication.ts';
import { fateOfFormer } from './sets/former-sets.ts';
import type { DocumentReport } from './sets/set-draft.ts';
import { type Editing, SetEditor } from './sets/set-editor.ts';
import type { PublishProgress } from './sets/set-part.ts';
import { publishSite, type SiteLimits } from './sets/site-publication.ts';

export interface PublisherSettings {
  readonly database: Database;
  /** The data directory; documents go to `publication/` in it. */
  readonly directory: string;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly policy?: Partial<Policy> | undefined;
  readonly limits?: Limits | undefined;
  readonly siteLimits?: SiteLimits | undefined;
}

export interface PublishOptions {
  readonly resourceList: 'always' | 'if-missing' | 'never';
  /** `throttled`: not before four times the time it took last has passed. */
  readonly flat?: 'always' | 'throttled' | undefined;
  /** Close the open Change List now, whatever its time. */
  readonly close?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PublishProgress) => void) | undefined;
  readonly uncounted?: boolean | undefined;
}

export interface DumpOptions {
  readonly resourceDump: 'always' | 'if-missing' | 'never';
  /** What becomes of the Resource List meanwhile; default: it stays. */
  readonly list?: ListMeanwhile | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PublishProgress) => void) | undefined;
  readonly uncounted?: boolean | undefined;
}

export interface ListMeanwhile {
  isDue(): boolean;
  /** @param list what was rendered, of which sequence of the journal */
  rendered(list: { readonly entries: number; readonly ms: number; readonly seq: number }): void;
}

export interface PublishReport {
  readonly set: string;
  /** False for a set that never had a resource: it is not published. */
  readonly published: boolean;
  /** What was written now. */
  readonly documents: readonly DocumentReport[];
  /** Milliseconds until `changelist.xml`, or packages that wait to be built again, may follow. */
  readonly flatDueIn?: number | undefined;
  readonly ms: number;
}

export interface Publisher {
  /**
   * Publishes what is new in a set's lists; all of them where nothing usable is published yet.
   * @throws BridgeError `publication-busy`, `disk-full`, `publication-failed`, `interrupted`,
   *   `unknown-collection`: what was published before is still served
   */
  publish(set: ResourceSet, options: PublishOptions): Promise<PublishReport>;
  /**
   * Builds the dumps of a set whose lists are published: a Resource Dump as asked, and a Change Dump package
   * for every Change List that has closed. The Change Lists follow the journal meanwhile.
   * @throws BridgeError as `publish`, and `content-damaged` naming the resource: the dumps before it stay
   */
  publishDumps(set: ResourceSet, options: DumpOptions): Promise<PublishReport>;
  /**
   * The site-wide Source Description over those of `sets` that are published; others are no longer served.
   * @param sets all of the configuration
   */
  publishSite(sets: readonly ResourceSet[]): Promise<void>;
}

/** While something long is written, the Change Lists follow the journal this often. */
const followMilliseconds = 1_000;
const restFactor = 4;
const longestExpulsionRest = 600_000;
const restAfterFailedExpulsion = 60_000;

export function createPublisher(settings: PublisherSettings): Publisher {
  const { baseUrl, clock, limits = sitemapLimits } = settings;
  const editor = new SetEditor({ ...settings, limits, policy: { ...defaultPolicy, ...settings.policy } });
  /** Per set: until when the flat list rests. */
  const flatRests = new Map<string, number>();
  /** Per set: until when packages are not built again for what has to be taken out of them. */
  const expulsionRests = new Map<string, number>();
  const expelling = new Set<string>();

  async function publish(set: ResourceSet, options: PublishOptions): Promise<PublishReport> {
    const started = performance.now();
    let flatDueIn = 0;
    const documents = await editor.edit(set, options, async (editing) => {
      const { lists, dumps, isServed, hadList } = editing;
      if (!set.dumps) dumps.withdraw();
      if (wantsResourceList(options.resourceList, lists.hasResourceList, hadList)) {
        await lists.renderResourceList(follower(set, editing, isServed));
      }
      flatDueIn = await follow(set, editing, options.flat ?? 'always', options.close);
    });
    return { ...reportOf(set, documents, started), ...(flatDueIn > 0 ? { flatDueIn } : {}) };
  }

  async function publishDumps(set: ResourceSet, options: DumpOptions): Promise<PublishReport> {
    const started = performance.now();
    const documents = await editor.edit(set, options, async (editing) => {
      const { lists, dumps, archives, isServed } = editing;
      // A dump of a set whose lists are not there yet would be all there is to it.
      if (!isServed) return;
      const publishNow = async () => {
        await archives.follow();
        await lists.switch();
      };
      if (!(await dumps.isPossible())) {
        dumps.withdraw();
        await publishNow();
        return;
      }
      const meanwhile = follower(set, editing, true, options.list);
      const wanted = options.resourceDump === 'always' || !dumps.hasResourceDump;
      // What is wrong with the one need not be wrong with the other.
      const failure = await firstFailure([
        () => dumps.packageChanges(meanwhile, publishNow),
        async () => {
          if (options.resourceDump !== 'never' && wanted) await dumps.renderResourceDump(meanwhile);
        },
      ]);
      dumps.remember(failure, options.signal);
      await publishNow();
      if (failure !== undefined) throw failure;
    });
    return reportOf(set, documents, started);
  }

  /** @returns how long the flat list, or packages to be built again, have still to wait, in milliseconds */
  async function follow(
    set: ResourceSet,
    editing: Editing,
    flat: 'always' | 'throttled',
    close = false,
  ): Promise<number> {
    const { lists, archives } = editing;
    const wait = flat === 'always' ? 0 : Math.max(0, (flatRests.get(set.path) ?? 0) - clock.now().getTime());
    const started = performance.now();
    await lists.followJournal(wait === 0, close);
    if (wait === 0) {
      const took = performance.now() - started;
      flatRests.set(set.path, clock.now().getTime() + Math.ceil(took * restFactor));
    }
    const expulsionWait = await expel(set, editing);
    await archives.follow();
    await lists.retire();
    await lists.switch();
    return wait > 0 && expulsionWait > 0 ? Math.min(wait, expulsionWait) : Math.max(wait, expulsionWait);
  }

  /**
   * Takes out of the packages what may not be handed out any more. What keeps it from that keeps nothing else: such
   * packages are refused, and nothing lists them, until they have been built again.
   * @returns milliseconds until it is tried again; 0: no need
   */
  async function expel(set: ResourceSet, editing: Editing): Promise<number> {
    const { expulsion, dumps } = editing;
    // Between the pages of such a package we get here again.
    if (expelling.has(set.path)) return 0;
    expelling.add(set.path);
    const started = clock.now().getTime();
    const rest = (milliseconds: number) => {
      expulsionRests.set(set.path, clock.now().getTime() + milliseconds);
      return milliseconds;
    };
    const waits = Math.min((expulsionRests.get(set.path) ?? 0) - started, longestExpulsionRest);
    try {
      const meanwhile = follower(set, editing, true);
      const done = await expulsion.run(editing, { mayBuild: waits <= 0, meanwhile });
      if (done === 'built') rest((clock.now().getTime() - started) * restFactor);
      return done === 'waits' ? waits : 0;
    } catch (error) {
      const said = publicationError(error, `the packages of ${set.path}`);
      settings.log.error(
        { set: set.path, ...failure(said) },
        'packages that hold something withdrawn wait to be built',
      );
      dumps.unlist();
      dumps.remember(error, undefined);
      return rest(restAfterFailedExpulsion);
    } finally {
      expelling.delete(set.path);
    }
  }

  /** Nothing that is served may wait for something that takes minutes. */
  function follower(
    set: ResourceSet,
    editing: Editing,
    isServed: boolean,
    list?: ListMeanwhile,
  ): () => Promise<void> {
    let last = performance.now();
    return async () => {
      if (!isServed || performance.now() - last < followMilliseconds) return;
      if (list?.isDue()) list.rendered(await editing.lists.renderResourceList(async () => undefined));
      await follow(set, editing, 'throttled');
      last = performance.now();
    };
  }

  return {
    publish,
    publishDumps,
    publishSite: async (sets) => {
      const root = publicationRoot(settings.directory);
      const fateOf = fateOfFormer(settings.database.writer, root, sets);
      await publishSite(root, { baseUrl, clock, limits: settings.siteLimits }, sets, fateOf);
    },
  };
}

function reportOf(
  set: ResourceSet,
  documents: readonly DocumentReport[] | undefined,
  started: number,
): PublishReport {
  const ms = Math.round(performance.now() - started);
  return { set: set.path, published: documents !== undefined, documents: documents ?? [], ms };
}

/** One after the other, whatever becomes of those before. */
async function firstFailure(steps: readonly (() => Promise<void>)[]): Promise<unknown> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  return failures[0];
}

function wantsResourceList(option: PublishOptions['resourceList'], has: boolean, had: boolean): boolean {
  if (option === 'always') return true;
  // With another base or a damaged publication everything is rendered anew, whoever asks.
  return !has && (had || option === 'if-missing');
}
