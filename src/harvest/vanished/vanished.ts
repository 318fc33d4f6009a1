import type { RepositoryInfo } from '../../core/adapter.ts';
import { publishedFormats } from '../../core/config/published-formats.ts';
import { areCountOf, countOf } from '../../core/count-of.ts';
import { type BridgeError, refusal } from '../../core/errors.ts';
import { say } from '../../core/reasons/reason.ts';
import type { Database } from '../../store/engine/database.ts';
import {
  countUnseen,
  listUnseenItems,
  listUnseenItemsAfter,
  type Swept,
  sweep,
} from '../../store/pages/sweep.ts';
import type { Lease } from '../../store/runs/leases.ts';
import { latestCompleteBefore, latestFullPass } from '../../store/runs/runs.ts';
import { type StoredSource, saveLessons } from '../../store/sources/sources.ts';
import { type HarvestDeps, instant } from '../harvest-source.ts';
import { type Asking, askedPerRun, storeAnswers } from '../items/asked-item.ts';
import { type Confirmation, confirmVanished } from './confirmation.ts';
import { findRenamed } from './renamed.ts';

/** A look at everything that came to its end: a full pass, or one through the identifiers. */
export interface CompletePass extends Asking {
  readonly info: RepositoryInfo;
  /** As it was before this run. */
  readonly stored: StoredSource;
  /** See `HarvestOptions`. */
  readonly withoutFuse?: boolean | undefined;
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
  const told = await tombstonesSuffice(database, pass);
  // Where tombstones tell of everything, a list in doubt takes nothing from them.
  if (told && run.unidentified > 0) return { unseen: 0, problem: undefined };
  const isEach = info.triage === 'each';
  const remains =
    isEach && isTooMuch(pass, unseen, total) ? await removeHidden(deps, lease, pass) : { unseen, total };
  const problem = await doubtOf(deps, pass, remains.unseen, remains.total);
  if (problem && isEach && !isTooMuch(pass, remains.unseen, remains.total)) {
    // What became of an item it says itself, however doubtful the list; what it does not say waits for a list that is not.
    await judgeEach(deps, lease, pass, remove, undefined);
    const left = await countUnseen(database.writer, lease.sourceId, run.id);
    return { unseen, problem: await doubtOf(deps, pass, left.unseen, left.total) };
  }
  if (problem) return { unseen, problem };
  if (info.triage === 'none') {
    // Nothing is asked: what is not in the list is not in the Source, wherever it may still be had.
    await remove({});
    return { unseen, problem: undefined };
  }
  const previousRun = unseen === 0 ? undefined : (await latestCompleteBefore(database.writer, run))?.id;
  if (unseen === 0) source.lessons.forget(omissions);
  else if (isEach) await judgeEach(deps, lease, pass, remove, previousRun);
  else {
    const vanished = await listUnseenItems(database.writer, lease.sourceId, run.id, askedPerRun);
    const confirmation = await confirmVanished(deps, lease, pass, vanished, {
      previousRun,
      isSample: true,
    });
    learn(pass, confirmation);
    // Of those that nobody asked for, the list is believed as far as it was right about the others.
    const believed = !told && isRight(confirmation) && source.lessons.get(omissions) === undefined;
    // What is there all the same is not what a sample can speak for.
    await remove(believed && confirmation.unlisted.length === 0 ? {} : { items: confirmation.answered });
    await tell(deps, lease, pass, confirmation);
  }
  if (info.deletedRecords !== 'persistent') source.lessons.forget(traceless);
  const changed = source.lessons.takeChanged();
  if (changed) await database.transaction((trx) => saveLessons(trx, lease.sourceId, changed));
  return { unseen, problem: undefined };
}

const lookedAtATime = 100;

/**
 * Much is missing at once. What is withdrawn, private or for members only by its own word goes all the same, because
 * no caution may keep it in public; what nobody knows may be of a server that lost its data. It goes on as long as
 * most of what is missing is of the first kind.
 * @returns what is still missing
 */
async function removeHidden(
  deps: HarvestDeps,
  lease: Lease,
  pass: CompletePass,
): Promise<{ readonly unseen: number; readonly total: number }> {
  const { writer } = deps.database;
  const { run, source } = pass;
  const options = { sideBySide: source.config.requestsPerHost };
  for (let after = 0; ; ) {
    const some = await listUnseenItemsAfter(writer, lease.sourceId, run.id, after, lookedAtATime);
    const last = some.at(-1);
    if (!last) break;
    after = last.id;
    const { hidden, complete } = await confirmVanished(deps, lease, pass, some, options);
    if (!complete || hidden * 2 < some.length) break;
  }
  return countUnseen(writer, lease.sourceId, run.id);
}

const judgedAtATime = 500;

/** Where the upstream can say what became of each item, each is asked for, and nothing goes without an answer. */
async function judgeEach(
  deps: HarvestDeps,
  lease: Lease,
  pass: CompletePass,
  remove: (which: Swept) => Promise<number>,
  previousRun: number | undefined,
): Promise<void> {
  const { writer } = deps.database;
  const { run, source } = pass;
  const options = { previousRun, sideBySide: source.config.requestsPerHost };
  let unjudged = 0;
  for (let after = 0; ; ) {
    const some = await listUnseenItemsAfter(writer, lease.sourceId, run.id, after, judgedAtATime);
    const last = some.at(-1);
    if (!last) break;
    after = last.id;
    const { answered, unlisted, failed, complete } = await confirmVanished(deps, lease, pass, some, options);
    await remove({ items: answered });
    unjudged += some.length - answered.length - unlisted.length;
    await tellOfUnlisted(deps, lease, pass, unlisted);
    if (!complete || failed === some.length) break;
  }
  if (unjudged === 0) return;
  const [them, stay] = unjudged === 1 ? ['it', 'it stays'] : ['them', 'they stay'];
  const message = `${areCountOf(unjudged, 'item')} missing from its list, and the repository gave no clear answer about ${them}; ${stay} published until it does, or until you decide (rsbridge vanished ${source.name})`;
  await storeAnswers(deps, lease, pass, { problems: [{ code: 'endpoint-quirk', message }] });
}

/** Without identifiers of their own, these problems do not make the items count as met. */
async function tellOfUnlisted(
  deps: HarvestDeps,
  lease: Lease,
  pass: CompletePass,
  unlisted: readonly string[],
): Promise<void> {
  if (unlisted.length === 0) return;
  const problems = unlisted.map((identifier) => ({
    code: 'endpoint-quirk' as const,
    message: `${identifier} is missing from its list, but is there when it is asked for; if the next list leaves it out, too, it is deleted`,
  }));
  await storeAnswers(deps, lease, pass, { problems });
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

/** So much would go at once that a person should look first. */
function isTooMuch({ source, withoutFuse }: CompletePass, unseen: number, total: number): boolean {
  if (withoutFuse) return false;
  const { share, atLeast } = source.config.deletionFuse;
  return unseen > atLeast && unseen > total * share;
}

async function doubtOf(
  { database }: HarvestDeps,
  pass: CompletePass,
  unseen: number,
  total: number,
): Promise<BridgeError | undefined> {
  const { run, source } = pass;
  const { share } = source.config.deletionFuse;
  if (unseen === 0 || (run.unidentified === 0 && !isTooMuch(pass, unseen, total))) return undefined;
  const missing = { count: unseen, source: source.name };
  if (run.unidentified > 0) {
    const facts = { ...missing, places: run.unidentified };
    return refusal('deletions-refused', 'missing-from-doubtful-list', facts);
  }
  const renamed = await findRenamed(database, run.sourceId, run.id);
  const names = renamed ?? { was: '', is: '' };
  return refusal('deletions-refused', 'too-much-missing', {
    ...missing,
    share: share * 100,
    total,
    ...names,
  });
}

function learn({ source: { lessons }, info }: CompletePass, confirmation: Confirmation): void {
  const { alive, traceless: withoutTrace } = confirmation;
  if (alive > 0) {
    lessons.learn(omissions, 'yes', say('endpoint-omits', {}));
  } else if (isRight(confirmation) && confirmation.answered.length < askedPerRun) {
    // All that it left out was asked for.
    lessons.forget(omissions);
  }
  if (withoutTrace > 0 && info.deletedRecords === 'persistent') {
    lessons.learn(traceless, 'yes', say('endpoint-without-tombstones', {}));
  }
}

/** What the next person who looks at this run should know. */
async function tell(
  deps: HarvestDeps,
  lease: Lease,
  pass: CompletePass,
  { alive, failed, answered, unlisted }: Confirmation,
): Promise<void> {
  await tellOfUnlisted(deps, lease, pass, unlisted);
  const { unseen } = await countUnseen(deps.database.writer, lease.sourceId, pass.run.id);
  const sentences = [
    alive > 0 &&
      `${alive} of ${countOf(answered.length + failed, 'item')} that its list leaves out are there when they are asked for`,
    unseen > 0 &&
      `${areCountOf(unseen, 'more resource')} missing from its list; they are deleted once they have been asked for, ${countOf(askedPerRun, 'item')} in a run (or all with rsbridge harvest ${pass.source.name} --accept-deletions ${pass.run.id})`,
  ].filter((sentence) => sentence !== false);
  if (sentences.length === 0) return;
  const problems = sentences.map((message) => ({ code: 'endpoint-quirk', message }) as const);
  await storeAnswers(deps, lease, pass, { problems });
}
