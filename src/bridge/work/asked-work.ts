import { toIso } from '../../core/datetime.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { redact } from '../../core/secrets.ts';
import type { HarvestSource, RunSignals } from '../../harvest/harvest-source.ts';
import { harvestItem, type ItemReport } from '../../harvest/items/one-item.ts';
import { type AcceptanceReport, acceptDeletions } from '../../harvest/vanished/accept-deletions.ts';
import { type Asked, listOpenAsks, noteAsked } from '../../store/runs/asked.ts';
import type { Bridge } from '../bridge.ts';
import type { Ending } from './due-runner.ts';

/** Does what somebody asked for, one after the other; what cannot be done says why, and is not tried again by itself. */
export async function answerAsked(
  bridge: Bridge,
  source: HarvestSource,
  signals: RunSignals,
): Promise<Ending> {
  const { database, clock } = bridge;
  for (const ask of await listOpenAsks(database.reader, source.name)) {
    if (signals.stop?.aborted) return 'put-off';
    await noteAsked(database, ask.id, { state: 'running' });
    try {
      const outcome = await answer(bridge, source, ask, signals);
      await noteAsked(database, ask.id, { ...outcome, endedAt: toIso(clock.now()) });
    } catch (error) {
      // Another process is at the source: this one comes back.
      if (isBridgeError(error, 'lease-held') || signals.stop?.aborted) {
        await noteAsked(database, ask.id, { state: 'waiting' });
        throw error;
      }
      const message = redact(describeError(error));
      await noteAsked(database, ask.id, { state: 'failed', message, endedAt: toIso(clock.now()) });
    }
  }
  return 'done';
}

interface Outcome {
  readonly state: Asked['state'];
  readonly message: string;
}

async function answer(
  bridge: Bridge,
  source: HarvestSource,
  { kind, what }: Pick<Asked, 'kind' | 'what'>,
  signals: RunSignals,
): Promise<Outcome> {
  if (kind === 'acceptance') {
    const run = what === undefined ? undefined : Number(what);
    return describeAcceptance(await acceptDeletions(bridge, source, { run, ...signals }));
  }
  return describeItem(await harvestItem(bridge, source, what ?? '', signals));
}

function describeAcceptance({ asked, deleted, aliveCount, remaining }: AcceptanceReport): Outcome {
  return {
    state: remaining > 0 ? 'needs-attention' : 'succeeded',
    message: `asked for ${asked}, ${deleted} deleted, ${aliveCount} still there, ${remaining} still missing`,
  };
}

function describeItem({ outcome, created, updated, deleted }: ItemReport): Outcome {
  const isRead = outcome === 'stored' || outcome === 'gone';
  return {
    state: isRead ? 'succeeded' : 'needs-attention',
    message: `${outcome}: ${created} created, ${updated} updated, ${deleted} deleted`,
  };
}
