import { describing, type MappedItem } from '../../core/mapping/mapping.ts';
import type { ChangeKind, DesiredResource, Link } from '../../core/resource.ts';
import { parseLinks, serializeLinks } from '../rows/representation-columns.ts';

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
  /** When the operator withdrew it: it does not come back. Or when its repository refused it: then as long as that does. */
  readonly withdrawn_at?: string | null;
  /** When its repository refused it to everybody, though it is there. */
  readonly refused_at?: string | null;
  /** The last run that met it. */
  readonly seen_run: number | null;
}

export interface ResourceChange {
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
  /** It is there, and not for everybody: nor is its past. */
  readonly refused?: true;
}

/** What became known of a resource that has not changed: nobody has to fetch it for that. */
export interface Learnt {
  readonly id: number;
  readonly path: string;
  readonly links: string;
  readonly media_type: string | null;
  readonly length: number | null;
  readonly hash: string | null;
}

export type ChangeCounts = Readonly<Record<ChangeKind, number>>;

export function countChanges(changes: readonly ResourceChange[]): ChangeCounts {
  const counts = { created: 0, updated: 0, deleted: 0 };
  for (const { change } of changes) counts[change] += 1;
  return counts;
}

export interface PlannedChanges {
  readonly changes: readonly ResourceChange[];
  /** Metadata that the delivery brought and that needs nothing, and files that stay. */
  readonly unchanged: readonly number[];
  /** Changes of what was delivered itself, not of what is linked with it. */
  readonly delivered: readonly ResourceChange[];
  readonly learnt: readonly Learnt[];
}

/** The changes of one item's resources, as they come up. */
export class ResourceChanges {
  readonly #facts: Pick<ResourceChange, 'identifier' | 'datestamp' | 'seenRun'>;
  readonly #changes: ResourceChange[] = [];
  readonly #delivered: ResourceChange[] = [];
  readonly #unchanged: number[] = [];
  readonly #learnt: Learnt[] = [];
  readonly #restated: boolean;
  deferred = false;

  /**
   * @param seenRun for all of them; undefined: they are met now
   * @param restated whether the repository names other files of the item than before
   */
  constructor({ identifier, datestamp }: MappedItem, seenRun: number | null | undefined, restated = false) {
    this.#restated = restated;
    this.#facts = { identifier, datestamp, ...(seenRun === undefined ? {} : { seenRun }) };
  }

  result(): PlannedChanges {
    return {
      changes: this.#changes,
      delivered: this.#delivered,
      unchanged: this.#unchanged,
      learnt: this.#learnt,
    };
  }

  /** Metadata that came. */
  deliver(desired: DesiredResource, known: KnownResource | undefined): void {
    const plan = this.#compare(desired, known);
    if (plan && !this.#isLearnt(plan)) {
      this.#changes.push(plan);
      this.#delivered.push(plan);
      return;
    }
    this.#learn(plan);
    if (known) this.#unchanged.push(known.id);
  }

  /** Metadata that the upstream says is gone, or does not show to everybody. */
  remove(known: KnownResource, refused = false): void {
    const plan = { ...this.#deletion(known), ...(refused && ({ refused } as const)) };
    this.#changes.push(plan);
    this.#delivered.push(plan);
  }

  /** A file; what is there already stays as it is while formats are awaited. */
  accompany(desired: DesiredResource, known: KnownResource | undefined, waits: boolean): void {
    const plan = this.#compare(desired, known);
    const isLearnt = plan !== undefined && this.#isLearnt(plan);
    if (plan && !isLearnt && (plan.change === 'created' || !waits)) {
      this.#changes.push(plan);
      return;
    }
    if (isLearnt && !waits) this.#learn(plan);
    else this.deferred ||= plan !== undefined;
    if (known) this.#unchanged.push(known.id);
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
    if (this.#restated) {
      const plan = this.#compare(toDesired(known, links), known);
      if (plan) this.#changes.push({ ...plan, seenRun: known.seen_run });
      return;
    }
    const { id, path, media_type, length, hash } = known;
    this.#learnt.push({ id, path, links: serializeLinks(links), media_type, length, hash });
  }

  /**
   * Which files an item has, and which formats it comes in, becomes known bit by bit: its resources link to each
   * other as far as is known, and what comes or goes says so itself (`describedby` of a file's own change). A change
   * of a resource is what the repository delivered: other bytes, other links of its own, other files of a record.
   */
  #isLearnt({ change, known, desired, newBytes }: ResourceChange): boolean {
    if (change !== 'updated' || newBytes || !known || !desired || isOlderLink(desired, known)) return false;
    const before = parseLinks(known.links);
    if (!isSame(ownLinks(before), ownLinks(desired.links))) return false;
    const names = this.#restated || known.landing_page !== (desired.landingPage ?? null);
    if (known.kind === 'metadata' && names && known.links !== serializeLinks(desired.links)) return false;
    // What was said and is not any more may have been wrong.
    return factsOf(known, desired).every(([stated, now]) => stated === now || stated === null);
  }

  #learn(plan: ResourceChange | undefined): void {
    if (!plan?.known || !plan.desired) return;
    const { mediaType, length, hash } = plan.desired;
    this.#learnt.push({
      id: plan.known.id,
      path: plan.known.path,
      links: plan.links,
      media_type: mediaType ?? null,
      length: length ?? null,
      hash: hash ?? null,
    });
  }

  #deletion(known: KnownResource): ResourceChange {
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
  #compare(desired: DesiredResource, known: KnownResource | undefined): ResourceChange | undefined {
    const links = serializeLinks(desired.links);
    // What was withheld comes back as what was deleted does.
    if (!known || known.deleted_at !== null || (known.refused_at ?? null) !== null)
      return { ...this.#facts, known, desired, links, change: 'created', newBytes: true };
    const facts = factsOf(known, desired);
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
    return {
      ...this.#facts,
      known,
      desired,
      links,
      change: 'updated',
      newBytes: newer || contradicted,
    };
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

/** Before, and now. */
function factsOf(known: KnownResource, desired: DesiredResource) {
  return [
    [known.hash, desired.hash ?? null],
    [known.length, desired.length ?? null],
    [known.media_type, desired.mediaType ?? null],
  ] as const;
}

/** Without those between the metadata and the files of items. */
function ownLinks(links: readonly Link[]): readonly Link[] {
  return links.filter(({ rel }) => rel !== 'describes' && rel !== 'describedby');
}

/** Metadata as it is, with other links. */
export function toDesired(known: KnownResource, links: readonly Link[]): DesiredResource {
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
