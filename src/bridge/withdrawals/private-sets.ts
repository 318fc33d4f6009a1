import { toIso } from '../../core/datetime.ts';
import { failure } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { RunSignals } from '../../harvest/harvest-source.ts';
import {
  hideStrays,
  listPrivateScopes,
  noteTold,
  type PrivateScope,
} from '../../store/removal/private-items.ts';
import type { Bridge } from '../bridge.ts';
import { startWatch, type Watch } from '../work/watch.ts';
import { announceWithdrawal, type Patience, removeWithdrawnBytes } from './withdraw.ts';

const pauseMs = 1000;

export interface PrivacyWatch {
  /** Whether this process is the one that does it. */
  readonly isOurs: () => boolean;
  /** Write the Resource Lists of these sets anew. */
  readonly renew: (sets: readonly ResourceSet[]) => void;
}

/**
 * What has become private by the configuration is handed out no more from the moment that the configuration is read
 * (`takePrivateSets`). This makes the journals say so, has the Resource Lists written anew, and sees that they are.
 */
export function watchPrivateSets(bridge: Bridge, stop: AbortSignal, { isOurs, renew }: PrivacyWatch): Watch {
  const { database, log } = bridge;
  const announced = new Set<string>();

  async function look(signal: AbortSignal): Promise<number> {
    if (!isOurs()) return pauseMs;
    const scopes = await listPrivateScopes(database.reader);
    for (const scope of scopes) {
      if (scope.isTold || scope.hiddenAt === undefined) continue;
      // One that cannot be dealt with now keeps no other waiting.
      await follow(scope, scope.hiddenAt, signal).catch((error: unknown) => {
        if (!signal.aborted)
          log.warn({ source: scope.source, ...failure(error) }, 'what is private is not announced yet');
      });
    }
    return pauseMs;
  }

  async function follow(scope: PrivateScope, since: string, signal: AbortSignal): Promise<void> {
    const { source } = scope;
    const outdated: ResourceSet[] = [];
    for (const set of bridge.sets().filter((one) => isOf(one, source)))
      if (await isOlder(bridge, set, since)) outdated.push(set);
    if (outdated.length > 0) renew(outdated);
    if (!announced.has(`${source} ${since}`)) {
      // Whoever works on it meanwhile says so at the end.
      if (!(await announce(bridge, source, { attempts: 1, stop: signal, signal }))) return;
      await removeWithdrawnBytes(bridge, signal);
      announced.add(`${source} ${since}`);
      log.info({ source }, 'what has become private is announced as deleted');
    }
    if (outdated.length === 0) await noteTold(database, scope, toIso(bridge.clock.now()));
  }

  return startWatch(bridge, stop, 'private sets cannot be looked at', look);
}

/** The same for a command that is about to publish: the journals say what has become private. */
export async function announcePrivateSets(bridge: Bridge, signals: RunSignals): Promise<void> {
  for (const { source, isTold } of await listPrivateScopes(bridge.database.reader))
    if (!isTold) await announce(bridge, source, signals);
}

async function announce(bridge: Bridge, source: string, patience: Patience): Promise<boolean> {
  await hideStrays(bridge.database, source, toIso(bridge.clock.now()));
  return announceWithdrawal(bridge, source, patience);
}

/** Whether a Resource List of a set, begun at a moment, may name what has become private since by the configuration. */
export async function namesPrivate({ database }: Bridge, set: ResourceSet, at: string): Promise<boolean> {
  const scopes = await listPrivateScopes(database.reader);
  return scopes.some(({ source, hiddenAt }) => hiddenAt !== undefined && at <= hiddenAt && isOf(set, source));
}

function isOf({ source, members }: ResourceSet, name: string): boolean {
  return members?.some((member) => member.source === name) ?? source === name;
}

/** Whether its Resource List was begun at that moment or before. */
async function isOlder({ publication }: Bridge, { path }: ResourceSet, since: string): Promise<boolean> {
  const published = await publication.set(path);
  const list = published?.documents.find((document) => document.path === `${path}/resourcelist.xml`);
  return list !== undefined && (list.at ?? '') <= since;
}
