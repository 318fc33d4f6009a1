import { describing, type MappedItem } from '../core/mapping.ts';
import type { ChangeKind, DesiredResource, Link } from '../core/resource.ts';
import { parseLinks, serializeLinks } from './rows.ts';

export interface KnownResource {
  readonly id: number;
  readonly path: string;
  readonly kind: string;
  readonly format: string;
  readonly media_type: string | null;
  readonly length: number | null;
  readonly hash: string | null;
  readonly lastmod: string;
  readonly upstream_url: string | null;
  readonly landing_page: string | null;
  readonly links: string;
  readonly last_seq: number;
  readonly version_count: number;
  readonly deleted_at: string | null;
  /** When the operator withdrew it: it does not come back. */
  readonly withdrawn_at?: string | null;
  /** The last run that met it. */
  readonly seen_run: number | null;
}

export interface ResourcePlan {
  readonly change: ChangeKind;
  readonly identifier: string;
  readonly datestamp: string | undefined;
  readonly known: KnownResource | undefined;
  /** Undefined when deleted. */
  readonly desired: DesiredResource | undefined;
  readonly links: string;
  /** Whether the bytes are others than before: only then there is a new version and a new `lastmod`. */
  readonly newBytes: boolean;
  /**
   * The last run that met it, where it is not the one that makes the change: links that follow another resource
   * say nothing about whether the upstream still has this one. Undefined: this run.
   */
  readonly seenRun?: number | null;
}

export type ChangeCounts = Readonly<Record<ChangeKind, number>>;

export function countChanges(changes: readonly ResourcePlan[]): ChangeCounts {
  const counts = { created: 0, updated: 0, deleted: 0 };
  for (const { change } of changes) counts[change] += 1;
  return counts;
}

export interface PlannedChanges {
  readonly changes: readonly ResourcePlan[];
  /** Metadata that the delivery brought and that needs nothing, and files that stay. */
  readonly unchanged: readonly number[];
  /** Changes of what was delivered itself, not of what is linked with it. */
  readonly delivered: readonly ResourcePlan[];
}

/** The changes of one item's resources, as they come up. */
export class ResourcePlans {
  readonly #facts: Pick<ResourcePlan, 'identifier' | 'datestamp' | 'seenRun'>;
  readonly #changes: ResourcePlan[] = [];
  readonly #delivered: ResourcePlan[] = [];
  readonly #unchanged: number[] = [];
  deferred = false;

  /** @param seenRun for all of them; undefined: they are met now */
  constructor({ identifier, datestamp }: MappedItem, seenRun: number | null | undefined) {
    this.#facts = { identifier, datestamp, ...(seenRun === undefined ? {} : { seenRun }) };
  }

  result(): PlannedChanges {
    return { changes: this.#changes, delivered: this.#delivered, unchanged: this.#unchanged };
  }

  /** Metadata that came. */
  deliver(desired: DesiredResource, known: KnownResource | undefined): void {
    const plan = this.#compare(desired, known);
    if (plan) {
      this.#changes.push(plan);
      this.#delivered.push(plan);
    } else if (known) this.#unchanged.push(known.id);
  }

  /** Metadata that the upstream says is gone. */
  remove(known: KnownResource): void {
    const plan = this.#deletion(known);
    this.#changes.push(plan);
    this.#delivered.push(plan);
  }

  /** A file; what is there already stays as it is while formats are awaited. */
  accompany(desired: DesiredResource, known: KnownResource | undefined, waits: boolean): void {
    const plan = this.#compare(desired, known);
    if (plan && (plan.change === 'created' || !waits)) this.#changes.push(plan);
    else {
      this.deferred ||= plan !== undefined;
      if (known) this.#unchanged.push(known.id);
    }
  }

  leave(known: KnownResource, waits: boolean): void {
    if (!waits) this.#changes.push(this.#deletion(known));
    else {
      this.deferred = true;
      this.#unchanged.push(known.id);
    }
  }

  /** Metadata that did not come: only what it describes may be new. */
  relink(known: KnownResource, files: readonly string[], waits: boolean): void {
    const before = parseLinks(known.links);
    const links = describing(before, files, known.landing_page ?? undefined);
    if (isSame(links, before)) return;
    if (waits) {
      this.deferred = true;
      return;
    }
    const desired = toDesired(known, links);
    this.#changes.push({
      ...this.#facts,
      change: 'updated',
      known,
      desired,
      links: serializeLinks(links),
      newBytes: false,
      seenRun: known.seen_run,
    });
  }

  #deletion(known: KnownResource): ResourcePlan {
    return {
      ...this.#facts,
      change: 'deleted',
      known,
      desired: undefined,
      links: '[]',
      newBytes: false,
    };
  }

  /** Undefined where nothing has changed. */
  #compare(desired: DesiredResource, known: KnownResource | undefined): ResourcePlan | undefined {
    const links = serializeLinks(desired.links);
    const plan = { ...this.#facts, known, desired, links };
    if (!known || known.deleted_at !== null) return { ...plan, change: 'created', newBytes: true };
    const facts = [
      [known.hash, desired.hash ?? null],
      [known.length, desired.length ?? null],
      [known.media_type, desired.mediaType ?? null],
    ] as const;
    const newer = isNewer(desired, known);
    if (
      !newer &&
      !isOlderLink(desired, known) &&
      known.links === links &&
      facts.every(([before, after]) => before === after)
    )
      return undefined;
    // What was not known before, or is not known any more, says nothing about the bytes.
    const contradicted = facts.some(
      ([before, after]) => before !== after && before !== null && after !== null,
    );
    return { ...plan, change: 'updated', newBytes: newer || contradicted };
  }
}

/** Of a mirrored file the hash says whether it is another; of others their server's word has to do. */
function isNewer({ lastModified, hash }: DesiredResource, known: KnownResource): boolean {
  if (lastModified === undefined || lastModified <= known.lastmod) return false;
  return !(hash?.startsWith('sha-256:') && hash === known.hash);
}

/** Of what is only linked, the server's word counts, also where it says less than was thought (RS-TIME-11). */
function isOlderLink({ path, upstreamUrl, lastModified }: DesiredResource, known: KnownResource): boolean {
  return path === upstreamUrl && lastModified !== undefined && lastModified < known.lastmod;
}

function isSame(a: readonly Link[], b: readonly Link[]): boolean {
  return serializeLinks(a) === serializeLinks(b);
}

function toDesired(known: KnownResource, links: readonly Link[]): DesiredResource {
  const { path, format, media_type, length, hash, upstream_url, landing_page } = known;
  return {
    path,
    kind: 'metadata',
    format,
    mediaType: media_type ?? undefined,
    length: length ?? undefined,
    hash: hash ?? undefined,
    upstreamUrl: upstream_url ?? undefined,
    landingPage: landing_page ?? undefined,
    links,
  };
}
