import type { RepositoryInfo } from '../core/adapter.ts';
import { BridgeError } from '../core/errors.ts';
import { publishedFormats } from '../core/published-formats.ts';
import type { Database } from '../store/database.ts';
import type { Lease } from '../store/leases.ts';
import { latestFullPass } from '../store/runs.ts';
import { type StoredSource, saveLessons } from '../store/sources.ts';
import { countUnseen, listUnseenItems, type Swept, sweep } from '../store/sweep.ts';
import { type Asking, askedPerRun, storeAnswers } from './asked-item.ts';
import { type Confirmation, confirmVanished } from './confirmation.ts';
import { type HarvestDeps, instant } from './harvest.ts';

/** A look at everything that came to its end: a full pass, or one through the identifiers. */
export interface CompletePass extends Asking {
  readonly info: RepositoryInfo;
  /** As it was before this run. */
  readonly stored: StoredSource;
  /** A person has looked at what is missing: it goes. */
  readonly acceptDeletions: boolean | undefined;
}

export interface Judgement {
  /** Resources that the pass did not see. */
  readonly unseen: number;
  readonly problem: BridgeError | undefined;
}

/** Lessons of ours, beside those of the adapters. */
const omissions = 'list-omissions';
const traceless = 'traceless-deletions';

/**
 * Deletes what a complete pass did not see and the upstream, asked for it, does not have; nothing where the pass is
 * in doubt somewhere, or where so much would go at once that a person should look first: a server that lost its
 * index denies everything, one by one.
 */
export async function deleteVanished(
  deps: HarvestDeps,
  lease: Lease,
  pass: CompletePass,
): Promise<Judgement> {
  const { database, clock } = deps;
  const { run, source, signal, info } = pass;
  const remove = (which: Swept) => sweep(database, lease, run.id, which, () => instant(clock), signal);
  const formats = publishedFormats(source.config);
  // The operator took these formats out of the configuration: that is a decision, not a loss.
  if (formats !== undefined && run.mode === 'full') await remove({ formatsOtherThan: formats });
  const { unseen, total } = await countUnseen(database.writer, lease.sourceId, run.id);
  if (pass.acceptDeletions) {
    await remove({});
    return { unseen, problem: undefined };
  }
  const told = await tombstonesSuffice(database, pass);
  // Where tombstones tell of everything, a list in doubt takes nothing from them.
  if (told && run.unidentified > 0) return { unseen: 0, problem: undefined };
  const problem = refusal(pass, unseen, total);
  if (problem) return { unseen, problem };
  if (unseen === 0) {
    source.lessons.forget(omissions);
  } else {
    const vanished = await listUnseenItems(database.writer, lease.sourceId, run.id, askedPerRun);
    const confirmation = await confirmVanished(deps, lease, pass, vanished);
    learn(pass, confirmation);
    // Of those that nobody asked for, the list is believed as far as it was right about the others.
    const believed = !told && isRight(confirmation) && source.lessons.get(omissions) === undefined;
    await remove(believed ? {} : { items: confirmation.answered });
    await tell(deps, lease, pass, confirmation);
  }
  if (info.deletedRecords !== 'persistent') source.lessons.forget(traceless);
  const changed = source.lessons.takeChanged();
  if (changed) await saveLessons(database, lease.sourceId, changed);
  return { unseen, problem: undefined };
}

function isRight({ alive, failed, complete }: Confirmation): boolean {
  return alive === 0 && failed === 0 && complete;
}

/** They answer for what we asked before; and what a person was asked to look at stays a question. */
async function tombstonesSuffice(database: Database, { info, stored, run }: CompletePass): Promise<boolean> {
  const sameAsBefore = stored.selection === undefined || stored.selection === run.selection;
  if (info.deletedRecords !== 'persistent' || !sameAsBefore) return false;
  return (await latestFullPass(database.reader, run.sourceId))?.state !== 'needs-attention';
}

function refusal({ run, source }: CompletePass, unseen: number, total: number): BridgeError | undefined {
  const { share, atLeast } = source.config.deletionFuse;
  const tooMany = unseen > atLeast && unseen > total * share;
  if (unseen === 0 || (run.unidentified === 0 && !tooMany)) return undefined;
  const why =
    run.unidentified > 0
      ? `the pass was not to be trusted in ${run.unidentified} places (rsbridge status names them)`
      : `that is more than ${share * 100} % of ${total}`;
  return new BridgeError(
    'deletions-refused',
    `${unseen} resources of ${source.name} were not in the list any more and would be deleted, but ${why}`,
  );
}

function learn({ source: { lessons }, info }: CompletePass, confirmation: Confirmation): void {
  const { alive, traceless: withoutTrace } = confirmation;
  if (alive > 0) {
    lessons.learn(
      omissions,
      'yes',
      'Its lists leave out records that are there when they are asked for: what is missing from them is deleted only once it has been asked for.',
    );
  } else if (isRight(confirmation) && confirmation.answered.length < askedPerRun) {
    // All that it left out was asked for.
    lessons.forget(omissions);
  }
  if (withoutTrace > 0 && info.deletedRecords === 'persistent') {
    lessons.learn(
      traceless,
      'yes',
      'It says that it keeps tombstones for ever (persistent), but records vanish without a trace: what is missing from its lists is asked for, and deleted when it is not there.',
    );
  }
}

/** What the next person who looks at this run should know. */
async function tell(
  deps: HarvestDeps,
  lease: Lease,
  pass: CompletePass,
  { alive, failed, answered }: Confirmation,
): Promise<void> {
  const { unseen } = await countUnseen(deps.database.writer, lease.sourceId, pass.run.id);
  const sentences = [
    alive > 0 &&
      `${alive} of ${answered.length + failed} items that its list leaves out are there when they are asked for`,
    unseen > 0 &&
      `${unseen} more resources are missing from its list; they are deleted once they have been asked for, ${askedPerRun} items in a run (or all with --accept-deletions)`,
  ].filter((sentence) => sentence !== false);
  if (sentences.length === 0) return;
  const problems = sentences.map((message) => ({ code: 'endpoint-quirk', message }) as const);
  await storeAnswers(deps, lease, pass, { problems });
}
