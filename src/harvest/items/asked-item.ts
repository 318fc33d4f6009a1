import type { Problem, SourceItem } from '../../core/adapter.ts';
import { BridgeError, describeError, isBridgeError } from '../../core/errors.ts';
import { storePage } from '../../store/pages/store-page.ts';
import type { Lease } from '../../store/runs/leases.ts';
import type { Run, RunKind } from '../../store/runs/runs.ts';
import { type HarvestDeps, type HarvestSource, instant, type RunSignals } from '../harvest-source.ts';
import { mapPage } from '../mapped-page.ts';

/**
 * Items that a run may ask for one by one, for one purpose. At a request a second these are two minutes; and where
 * one in thirty of what a list leaves out is there all the same, a hundred answers show it with 97 % certainty.
 */
export const askedPerRun = 100;

/** After this many failures in a row the next answer would be no other. */
export const failuresInARow = 5;

/** On whose behalf items are asked for. */
export interface Asking extends RunSignals {
  readonly source: HarvestSource;
  readonly run: Run<RunKind>;
}

/**
 * `unknown`: the upstream does not have it; `unselected`: it has it, but in none of the configured collections;
 * `failed`: it did not say, or nothing that can be used.
 */
export type Answer = SourceItem | 'unknown' | 'unselected' | 'failed';

/**
 * Asks for one item and stores what is delivered, as a page of its own. What was stored counts as met by the run; what
 * could not be read does not, and what no list has and nobody can account for (`unlisted`) is left as it is.
 */
export async function askFor(
  deps: HarvestDeps,
  lease: Lease,
  asking: Asking,
  identifier: string,
): Promise<Answer> {
  return takeAnswer(deps, lease, asking, identifier, await fetchItem(asking, identifier));
}

/** What came of a request: an item, that there is none, or why nobody knows. */
export type Fetched = { readonly item: SourceItem | undefined } | { readonly error: unknown };

/** Several of these may be on their way; what they bring is taken one after the other. */
export async function fetchItem(
  { source, signal }: Pick<Asking, 'source' | 'signal'>,
  identifier: string,
  deliveredFrom: readonly string[] = [],
): Promise<Fetched> {
  try {
    return { item: await source.adapter.item(identifier, signal, deliveredFrom) };
  } catch (error) {
    signal.throwIfAborted();
    return { error };
  }
}

/** No clear answer about it, from an upstream that answers otherwise: the next item may have one. */
export function concernsItem(fetched: Fetched): boolean {
  return 'error' in fetched && isBridgeError(fetched.error) && fetched.error.concernsItem;
}

export async function takeAnswer(
  deps: HarvestDeps,
  lease: Lease,
  asking: Asking,
  identifier: string,
  fetched: Fetched,
  failure: Pick<FailureOptions, 'isMet'> = {},
): Promise<Answer> {
  if ('error' in fetched) return storeFailure(deps, lease, asking, identifier, fetched.error, failure);
  const { item } = fetched;
  if (item === undefined) return 'unknown';
  if (item.identifier !== identifier) {
    const error = new BridgeError('upstream-protocol', `the answer is the record of ${item.identifier}`);
    return storeFailure(deps, lease, asking, identifier, error, failure);
  }
  if (!isSelected(asking.source, item)) return 'unselected';
  if (item.unlisted !== true) await storeAnswers(deps, lease, asking, { items: [item] });
  return item;
}

/** What is in none of the configured collections any more is not ours, whatever it is elsewhere (quirk 66). */
export function isSelected({ config: { collections } }: HarvestSource, item: SourceItem): boolean {
  // Some state no sets at all (quirk 63): that takes nothing out of them.
  if (collections === undefined || item.deleted || item.collections.length === 0) return true;
  return item.collections.some((spec) =>
    collections.some((chosen) => spec === chosen || spec.startsWith(`${chosen}:`)),
  );
}

export interface FailureOptions {
  /** In which it could not be read before; undefined: in all that it comes in. */
  readonly format?: string | undefined;
  /** Counts as met by the run, so that others have their turn before it in the next (quirk 69). */
  readonly isMet?: boolean | undefined;
}

/** The failure says nothing about whether it is there: what was suspected of having vanished is so still. */
export async function storeFailure(
  deps: HarvestDeps,
  lease: Lease,
  asking: Pick<Asking, 'source'> & { readonly run: Pick<Asking['run'], 'id' | 'problems'> },
  identifier: string,
  error: unknown,
  { format, isMet = false }: FailureOptions = {},
): Promise<'failed'> {
  const message = `asked for alone, it could not be read: ${describeError(error)}`;
  await storeAnswers(deps, lease, asking, {
    problems: [
      { code: 'record-quarantined', message, identifier, ...(format === undefined ? {} : { format }) },
    ],
    isUnmet: !isMet,
  });
  return 'failed';
}

interface StoredAnswers {
  readonly items?: readonly SourceItem[];
  readonly problems?: readonly Problem[];
  /** The problems are no sign that their items are there. */
  readonly isUnmet?: boolean;
}

/** Problems without an identifier are about the list as a whole. */
export async function storeAnswers(
  { database, clock }: HarvestDeps,
  lease: Lease,
  { source, run }: Pick<Asking, 'source'> & { readonly run: Pick<Asking['run'], 'id' | 'problems'> },
  { items = [], problems = [], isUnmet = false }: StoredAnswers,
): Promise<void> {
  const page = { ...mapPage(source, { items, problems, checkpoint: undefined }), isUnmet };
  // As in a full pass: what is unchanged is marked as met.
  const inProgress = { id: run.id, problems: run.problems, mode: 'full' } as const;
  await storePage(database, lease, inProgress, page, instant(clock));
}
