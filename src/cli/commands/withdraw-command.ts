import {
  planWithdrawal,
  removeWithdrawnBytes,
  takeDown,
  type WithdrawalPlan,
} from '../../bridge/withdrawals/withdraw.ts';
import { countOf } from '../../core/count-of.ts';
import { isAbsolute } from '../../core/uris.ts';
import type { Target } from '../../store/removal/withdrawal.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface WithdrawFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly reason?: string;
  readonly dryRun: boolean;
}

/** Takes a resource, or a whole item, down: it is published no more, whatever the repository delivers. */
export async function withdrawCommand(text: string, flags: WithdrawFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'warnings', async (bridge) => {
    const plan = await planWithdrawal(bridge, text);
    const { target, uri, what, resources, versions, ownVersions } = plan;
    const said = {
      withdrawn: uri,
      source: target.source,
      identifier: target.identifier,
      resources,
      versions,
      ownVersions,
    };
    if (flags.dryRun) {
      const message = `would withdraw ${what}: ${countOf(resources.length, 'resource')} (dry run, nothing changed)`;
      const lines = [message, ...resources, ...ofVersions(plan)];
      printResult(io, flags.json, { dryRun: true, ...said }, lines.join('\n'));
      return exitCodes.ok;
    }
    const why = { reason: flags.reason, by: actor() };
    const { sources, busy } = await takeDown(bridge, plan, why, { stop: io.stop, signal: io.abort });
    const announced = busy.length === 0;
    const removed = await removeWithdrawnBytes(bridge, io.abort);
    const sentences = [
      `${what} is withdrawn: ${countOf(resources.length, 'address')} answer${resources.length === 1 ? 's' : ''} 410 from now on`,
      announced
        ? 'the Change Lists tell of the deletion with the next publication (within a second where rsbridge serve runs)'
        : `its source is being harvested (${busy.join(', ')}): that process tells the Change Lists of the deletion within a minute, or the next harvest does`,
      ...ofVersions(plan),
      ...(sources.length > 1 ? [inSeveral(target, sources)] : []),
      removed > 0
        ? `${countOf(removed, 'content')} removed from the store; content that public resources share with it stays`
        : 'no bytes had to be removed from the store',
      'copies made by rsbridge export are removed by its next run; backups, and the copies of others, are not',
    ];
    printResult(
      io,
      flags.json,
      { ...said, sources, announced, contentsRemoved: removed },
      sentences.join('\n'),
    );
    return exitCodes.ok;
  });
}

function ofVersions({
  versions,
  ownVersions,
  isOfMemento,
}: Pick<WithdrawalPlan, 'versions' | 'ownVersions' | 'isOfMemento'>): readonly string[] {
  return [
    ...(isOfMemento
      ? ['this is the address of one version: no version is withdrawn alone, and all of the resource go']
      : []),
    ...ownVersions.map(
      (identifier) => `its earlier version ${identifier} is shown at the same addresses, and goes with it`,
    ),
    ...versions.map(ofVersion),
  ];
}

/** By its page: several sources may have an item of that name. */
function ofVersion({ identifier, is, page }: WithdrawalPlan['versions'][number]): string {
  return is === 'earlier'
    ? `its earlier version ${identifier} has addresses of its own, which stay: rsbridge withdraw ${page}`
    : `its later version ${identifier} stays, without what it was as this one: rsbridge withdraw ${page} takes it down, too`;
}

function inSeveral({ path = '' }: Target, sources: readonly string[]): string {
  const names = sources.join(', ');
  return isAbsolute(path)
    ? `several sources list that URL, and it is withdrawn in all of them: ${names}`
    : `a source and its private sets have the same items, and it is withdrawn in all that had it: ${names}`;
}
