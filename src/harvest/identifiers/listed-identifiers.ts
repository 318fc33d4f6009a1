import type { Checkpoint, IdentifierPage } from '../../core/adapter.ts';
import { eitherOf } from '../../core/either-signal.ts';
import type { TrackedWork } from '../../core/under-way.ts';
import { findAbsent, storeListed } from '../../store/pages/identifier-pass.ts';
import type { Lease } from '../../store/runs/leases.ts';
import type { Run } from '../../store/runs/runs.ts';
import type { IdentifierOptions } from '../harvest-source.ts';
import { type HarvestDeps, type HarvestSource, instant } from '../harvest-source.ts';
import { keepLessons } from '../introduction.ts';
import { askedPerRun } from '../items/asked-item.ts';
import { readAhead } from '../run/read-ahead.ts';
import { Sample, type SampleState } from '../vanished/sample.ts';

/** The checkpoint of such a run: the adapter's own, and what the list said before it. */
type IdentifierCheckpoint = {
  readonly list: Checkpoint;
  readonly absent: SampleState;
  readonly formats: readonly string[];
};

/** A list that was read to its end. */
export interface ReadList {
  /** Of the items that are listed, but not here. */
  readonly absent: Sample;
  /** In which it was listed: what is published in none of them is no matter of this list. */
  readonly formats: readonly string[];
}

/** @returns undefined when it was stopped before the end of the list */
export async function readIdentifiers(
  deps: HarvestDeps,
  source: HarvestSource,
  { stop, signal, onProgress, work }: IdentifierOptions & { readonly work: TrackedWork },
  lease: Lease,
  run: Run<'identifiers'>,
): Promise<ReadList | undefined> {
  const { database, clock, log } = deps;
  const last = run.checkpoint as IdentifierCheckpoint | undefined;
  const absent = new Sample(askedPerRun, last?.absent);
  const formats = new Set(last?.formats);
  const leaving = new AbortController();
  const pages = source.adapter.identifiers({ checkpoint: last?.list }, eitherOf(signal, leaving.signal));
  let total = run;
  let items = 0;
  for await (const page of readAhead(pages, leaving)) {
    formats.add(page.format);
    const identifiers = livingOf(page);
    for (const identifier of await findAbsent(database.writer, lease.sourceId, identifiers))
      absent.add(identifier);
    const { checkpoint: list, problems, entries } = page;
    const checkpoint: IdentifierCheckpoint | undefined = list && {
      list,
      absent: absent.state(),
      formats: [...formats],
    };
    const listed = { identifiers, entries: entries.length, problems, checkpoint };
    const counts = await storeListed(database, lease, total, listed, instant(clock));
    await keepLessons(deps, lease, source);
    items += entries.length;
    total = {
      ...total,
      pages: total.pages + 1,
      items: total.items + entries.length,
      problems: total.problems + counts.problems,
    };
    log.debug({ source: source.name, runId: run.id, page: total.pages, ...counts }, 'identifiers stored');
    work.tell({ done: total.items, expected: page.expectedTotal, window: page.window });
    onProgress?.({ source: source.name, run: total, items });
    if (stop.aborted) return undefined;
  }
  return { absent, formats: [...formats] };
}

function livingOf({ entries }: IdentifierPage): readonly string[] {
  return [
    ...new Set(
      entries.flatMap(({ identifier, deleted }) => (deleted || identifier === '' ? [] : [identifier])),
    ),
  ];
}
