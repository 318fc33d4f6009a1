import type { Bridge } from '../../bridge/bridge.ts';
import type { Service, ServiceHooks } from '../../bridge/service.ts';
import { failure } from '../../core/errors.ts';
import type { SampleRepository } from '../../demo/sample-repository.ts';
import { type Manners, type Visit, Visits } from '../../demo/visits.ts';
import { readJournal } from '../../store/sources/journal.ts';

/** How the demo moves. */
export interface DemoPace {
  /** Between two edits; 0: none at all. */
  readonly editEveryMs: number;
  /** Edits come together, not more often than this: between them there is one state that everybody sees. */
  readonly roundMs: number;
  /** Time to look around, and to copy once, before things begin to move. */
  readonly calmMs: number;
  readonly manners: Manners;
}

/**
 * The life of the sample repository. Its edits come in rounds: some edits, a harvest, and all documents level with it.
 * A client that copies waits until the round is over, and finds lists and resources that agree; and while it copies there
 * is no other round. So the reference client, which gives up at the first 410, copies what moves.
 */
export interface DemoLife {
  /** For each request, before it is answered. */
  readonly admit: (visit: Visit) => Promise<void>;
  /** For each harvest that is due by its schedule: rounds have their own, for files found late move things, too. */
  readonly harvestWhenDue: NonNullable<ServiceHooks['harvestWhenDue']>;
  /** Moves until it is told to stop; ends with its last round. */
  live(service: Service, repository: SampleRepository, source: string, stop: AbortSignal): Promise<void>;
}

/** A round that takes longer than this keeps nobody waiting. */
const longestWaitMs = 20_000;
const pauseMs = 100;

export function createDemoLife({ clock, database, log }: Bridge, pace: DemoPace): DemoLife {
  const now = () => clock.now().getTime();
  const visits = new Visits(pace.manners, now());
  let round: Promise<void> | undefined;

  async function move(
    service: Service,
    repository: SampleRepository,
    source: string,
    stop: AbortSignal,
  ): Promise<void> {
    const mayRemove = visits.mayRemove(now());
    const edits = Math.max(1, Math.round(pace.roundMs / pace.editEveryMs));
    for (let edit = 0; edit < edits; edit += 1) repository.edit({ mayRemove });
    await service.harvestNow(source, { mode: 'incremental' });
    await service.followFiles(source);
    service.renewLists();
    while (!stop.aborted) {
      const journal = await readJournal(database.reader, source);
      if (journal && service.isPublished(source, journal)) break;
      await clock.sleep(pauseMs, stop).catch(() => undefined);
    }
    visits.moved(now());
  }

  return {
    admit: async (visit) => {
      if (!visits.note(visit, now()) || !round) return;
      const enough = new AbortController();
      const patience = clock.sleep(longestWaitMs, enough.signal).catch(() => undefined);
      await Promise.race([round, patience]);
      enough.abort();
      // What it waited for is what it has seen.
      visits.note(visit, now());
    },
    harvestWhenDue: (harvest) => (pace.editEveryMs === 0 ? harvest() : Promise.resolve('done')),
    live: async (service, repository, source, stop) => {
      if (pace.editEveryMs === 0) return;
      let next = now() + pace.calmMs;
      while (!stop.aborted) {
        if (now() >= next && visits.mayMove(now())) {
          next = now() + Math.max(pace.roundMs, pace.editEveryMs);
          round = move(service, repository, source, stop)
            .catch((error: unknown) => log.error({ ...failure(error) }, 'a round of edits failed'))
            .finally(() => {
              round = undefined;
            });
          await round;
        }
        await clock.sleep(pauseMs, stop).catch(() => undefined);
      }
    },
  };
}
