import { areCountOf, countOf } from '../../core/count-of.ts';
import type { SyncReport } from '../../sync/sync-report.ts';
import { printable } from '../terminal/terminal-text.ts';

/** What a run did, for people: the way and why, what was read, what was done, what is left, how things stand. */
export function summaryOf(report: SyncReport, directory: string): readonly string[] {
  const { set, ways, held, left, cursor, isDryRun } = report;
  const missing = isDryRun || left === 0 ? '' : `; ${areCountOf(left, 'resource')} missing or not up to date`;
  return [
    `${isDryRun ? 'would synchronise' : 'synchronised'} ${set} into ${directory}`,
    ...ways.map(({ way, why }) => `  ${way}: ${why}`),
    `  ${readText(report)}`,
    ...(isDryRun ? [`  ${dueText(report)}`] : [`  ${copiedText(report)}`]),
    ...lookedText(report),
    ...troubles(report),
    cursor === undefined
      ? `  the copy has ${countOf(held, 'resource')}, and is not complete yet`
      : `  the copy has ${countOf(held, 'resource')}, and knows of every change up to ${cursor}${missing}`,
  ].map(printable);
}

function readText({ read }: SyncReport): string {
  const { entries, same, excluded, foreign } = read;
  const parts = [
    `${countOf(entries, 'entry')} read`,
    `${same} as held`,
    ...(excluded > 0 ? [`${excluded} not selected`] : []),
    ...(foreign > 0 ? [`${foreign} at other hosts, which --host allows`] : []),
  ];
  return parts.join(', ');
}

/** What was found of the files; what could not be mended is told with what else is left. */
function lookedText({ looked, left, isDryRun, ways }: SyncReport): readonly string[] {
  const isAsked = ways.some(({ way, why }) => way === 'audit' && why === 'as asked');
  if (looked === undefined)
    return isAsked
      ? ['  compared with what the copy knows of itself: files are looked at only with --sink directory']
      : [];
  const { files, altered, missing } = looked;
  const damaged = [
    ...(altered > 0 ? [`${altered} altered`] : []),
    ...(missing > 0 ? [`${missing} missing`] : []),
  ];
  const begin = `${countOf(files, 'file')} looked at`;
  if (damaged.length === 0) return [`  ${begin}, none of them altered or missing here`];
  const mending = isDryRun
    ? 'to be mended'
    : left === 0
      ? 'mended'
      : 'mended but for what is still to be fetched';
  return [`  ${begin}, ${damaged.join(' and ')} here: ${mending}`];
}

function dueText({ due, read, heldBack }: SyncReport): string {
  const all =
    due.stated === due.count ? '' : ` and ${countOf(due.count - due.stated, 'resource')} of unknown length`;
  const deleted = heldBack?.count ?? read.doomed;
  return `to fetch: ${countOf(due.count, 'resource')} (${megabytes(due.octets)}${all}); to delete: ${deleted}`;
}

function copiedText({ copied, packages }: SyncReport): string {
  const { created, updated, deleted, confirmed, failed, octets } = copied;
  const { patched, mirrored, mementos, newer } = copied;
  const parts = [
    `${created} created`,
    `${updated} updated`,
    `${deleted} deleted`,
    ...(confirmed > 0 ? [`${confirmed} there already`] : []),
    `${failed} failed`,
    megabytes(octets),
    ...(packages > 0 ? [`by ${countOf(packages, 'package')}`] : []),
    ...(patched > 0 ? [`${patched} by a patch`] : []),
    ...(mirrored > 0 ? [`${mirrored} from a mirror`] : []),
    ...(mementos > 0 ? [`${mementos} by a memento`] : []),
    ...(newer > 0 ? [`${newer} newer than listed`] : []),
  ];
  return parts.join(', ');
}

function* troubles(report: SyncReport): Generator<string> {
  const { heldBack, failures, obstacles, left, notes, remarks, isStopped, isDryRun } = report;
  for (const note of notes) yield `  ! ${note}`;
  if (heldBack)
    yield `  ! ${areCountOf(heldBack.count, 'resource')} to be deleted, ${whyHeldBack(heldBack)}: nothing was; --max-delete ${heldBack.count} allows it`;
  for (const { loc, reason, failures: times, nextTry } of failures)
    yield `  ! ${loc}: ${reason}${times > 1 ? ` (${times} times)` : ''}${nextTry === undefined ? '' : `, tried again after ${nextTry}`}`;
  for (const { reason, count, nextTry } of obstacles)
    yield `  ! ${reason} (${countOf(count, 'resource')}${nextTry === undefined ? '' : `, tried again after ${nextTry}`})`;
  const told = obstacles.reduce((sum, { count }) => sum + count, failures.length);
  if (left > told && !isDryRun)
    yield `  ! ${countOf(left, 'resource')} still to be fetched; the next run goes on`;
  if (isStopped) yield '  ! stopped before the end; the next run goes on';
  for (const { rule, uri, message, count } of remarks)
    yield `  ~ ${rule} ${uri}: ${message}${count > 1 ? ` (${count} times)` : ''}`;
}

function whyHeldBack({ limit, isListEmpty }: NonNullable<SyncReport['heldBack']>): string {
  return isListEmpty && limit === 0 ? 'for the list of the Source is empty' : `more than ${limit}`;
}

function megabytes(octets: number): string {
  return octets < 1_000_000 ? `${Math.ceil(octets / 1000)} kB` : `${(octets / 1_000_000).toFixed(1)} MB`;
}
