import { toIso } from '../../core/datetime.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { type ReasonCode, say } from '../../core/reasons/reason.ts';
import { redact } from '../../core/secrets.ts';
import type { HarvestSource, RunSignals } from '../../harvest/harvest-source.ts';
import { harvestItem, type ItemOutcome, type ItemReport } from '../../harvest/items/one-item.ts';
import { type ProblemsAgain, readProblemsAgain } from '../../harvest/items/problems-again.ts';
import { type ReadAgain, readAgainInTurn } from '../../harvest/items/restored-item.ts';
import { type AcceptanceReport, acceptDeletions } from '../../harvest/vanished/accept-deletions.ts';
import { type Asked, listOpenAsks, noteAsked } from '../../store/runs/asked.ts';
import { forgetSelection } from '../../store/sources/sources.ts';
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
      if (outcome === 'stopped') {
        await noteAsked(database, ask.id, { state: 'waiting' });
        return 'put-off';
      }
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
  { id, kind, what, at }: Pick<Asked, 'id' | 'kind' | 'what' | 'at'>,
  signals: RunSignals,
): Promise<Outcome | 'stopped'> {
  if (kind === 'problems') {
    const which = { cause: what, notSince: at };
    const again = await readProblemsAgain(bridge, source, which, signals, async (done) => {
      const { message } = describeAgain(done);
      await noteAsked(bridge.database, id, { state: 'running', message });
    });
    return again.isStopped ? 'stopped' : describeAgain(again);
  }
  if (kind === 'acceptance') {
    const run = what === undefined ? undefined : Number(what);
    return describeAcceptance(await acceptDeletions(bridge, source, { run, ...signals }));
  }
  if (kind === 'restore') {
    const outcome = await readAgainInTurn(bridge, source, what ?? '', signals);
    // What no incremental harvest would deliver, a full one does.
    if (typeof outcome !== 'string') await forgetSelection(bridge.database, source.name);
    return describeRestored(outcome);
  }
  return describeItem(await harvestItem(bridge, source, what ?? '', signals));
}

function describeAcceptance({ asked, deleted, aliveCount, remaining }: AcceptanceReport): Outcome {
  return {
    state: remaining > 0 ? 'needs-attention' : 'succeeded',
    message: say('missing-asked-for', { asked, deleted, alive: aliveCount, remaining }),
  };
}

function describeRestored(outcome: ReadAgain): Outcome {
  if (outcome === 'published')
    return {
      state: 'succeeded',
      message: say('restored-published', {}),
    };
  if (outcome === 'unknown')
    return {
      state: 'needs-attention',
      message: say('restored-unknown', {}),
    };
  return {
    state: 'needs-attention',
    message: say('restored-later', { why: outcome.failed }),
  };
}

function describeAgain({ read, stillUnread, nameless, gaveUp }: Omit<ProblemsAgain, 'isStopped'>): Outcome {
  return {
    state: gaveUp !== undefined ? 'failed' : stillUnread + nameless > 0 ? 'needs-attention' : 'succeeded',
    message: say('problems-read', {
      ...{ read, unread: stillUnread, nameless: nameless || '' },
      why: redact(gaveUp ?? ''),
    }),
  };
}

const outcomes = {
  stored: 'item-stored',
  gone: 'item-gone',
  unknown: 'item-unknown-there',
  unlisted: 'item-unlisted',
  other: 'item-other',
} as const satisfies Record<ItemOutcome, ReasonCode>;

function describeItem({ outcome, created, updated, deleted }: ItemReport): Outcome {
  const isRead = outcome === 'stored' || outcome === 'gone';
  return {
    state: isRead ? 'succeeded' : 'needs-attention',
    message: say(outcomes[outcome], { created, updated, deleted }),
  };
}
