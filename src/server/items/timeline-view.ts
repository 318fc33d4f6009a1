import type { Memento } from '../../core/time/timeline.ts';
import { selectMemento } from '../../core/time/timeline.ts';
import { mementoUri, timeGateUri, toUri } from '../../core/uris.ts';
import type { ResourceHistory } from '../../store/history/timelines.ts';
import type { ServerDeps } from '../deps.ts';
import { exactTimeAndAge, html, type Markup } from '../html/html.ts';
import { encodeTarget } from '../http/link-header.ts';
import { type TimeMapLinks, timeMapLinks } from '../http/time-map-links.ts';
import { whyWithheldHere } from '../past/served-history.ts';
import { generalWords } from '../words/general.ts';
import { historyWords } from '../words/history.ts';
import type { Reader } from '../words/reader.ts';
import { dayIn } from '../words/times.ts';

/** What a page and its JSON say of the past: the links of the Memento headers, drawn. */

export interface MementoView {
  readonly uri: string;
  /** Its `Memento-Datetime`, ISO. */
  readonly datetime: string;
}

/** How a resource came to be what it is. */
export interface VersionsView {
  readonly count: number;
  /** Of these, so many are from before the bridge: the repository keeps a history of its own. */
  readonly prior: number;
  /** So many more there were, which are kept no longer. */
  readonly dropped: number;
  readonly first: MementoView;
  /** The one before the last. */
  readonly prev?: MementoView;
  readonly last: MementoView;
  readonly timeGate: string;
  readonly timeMap: TimeMapLinks;
}

/** URI-R of a path, as it stands in the URIs of its TimeGate, TimeMaps and mementos. */
export function originalUri(baseUrl: string, path: string): string {
  return encodeTarget(toUri(baseUrl, path));
}

/** What is asked about whose past is shown. */
export type TimelineDeps = Pick<ServerDeps, 'baseUrl' | 'mementosOf' | 'fileMode'>;

/** Whether a resource leads to what it was; a file that is not kept here has no more to show than what it is now. */
export function showsPast(deps: TimelineDeps, history: ResourceHistory): boolean {
  if (whyWithheldHere(deps, history) !== undefined) return false;
  const { kind, source, timeline } = history;
  if (kind === 'metadata' || deps.fileMode(source) === 'mirror') return true;
  return timeline.mementos.some((memento) => isPrior(memento, history));
}

/** Undefined where there are no mementos to lead to. */
export function toVersionsView(deps: TimelineDeps, history: ResourceHistory): VersionsView | undefined {
  if (!showsPast(deps, history)) return undefined;
  const { baseUrl } = deps;
  const uri = originalUri(baseUrl, history.path);
  const { mementos, dropped } = history.timeline;
  const { selected, prev } = selectMemento(history.timeline);
  const viewOf = (memento: Memento | undefined): MementoView | undefined =>
    memento && { uri: mementoUri(baseUrl, uri, memento.datetime), datetime: memento.datetime };
  const [first, last] = [viewOf(mementos[0]), viewOf(mementos[selected ?? -1])];
  if (!first || !last) return undefined;
  const before = viewOf(mementos[prev ?? -1]);
  return {
    count: mementos.length,
    prior: mementos.filter((memento) => isPrior(memento, history)).length,
    dropped: dropped.length,
    first,
    ...(before && { prev: before }),
    last,
    timeGate: timeGateUri(baseUrl, uri),
    timeMap: timeMapLinks(baseUrl, uri),
  };
}

/** Whether only the repository's own history tells of it. */
export function isPrior({ datetime }: Memento, { metAt }: ResourceHistory): boolean {
  return metAt === undefined || datetime < metAt;
}

/** How many, for a narrow column; the link leads to all of them. */
export function versionsNumber(
  versions: VersionsView | undefined,
  { language, count }: Reader,
): Markup | undefined {
  if (!versions) return undefined;
  const { count: all, timeMap } = versions;
  return html`<a href="${timeMap.html}" aria-label="${generalWords[language].versions(all)}">${count(all)}</a>`;
}

/** How many, since when, and the way to them. */
export function versionsSummary(
  versions: VersionsView | undefined,
  { language, timeZone, count }: Reader,
): Markup | undefined {
  if (!versions) return undefined;
  const { count: all, first, prev, last, prior, dropped, timeMap } = versions;
  const words = historyWords[language];
  const links = [
    { name: words.first, memento: all > 1 ? first : undefined },
    { name: words.previous, memento: all > 2 ? prev : undefined },
    { name: words.latest, memento: last },
  ].flatMap(({ name, memento }) => (memento ? [html` <a href="${memento.uri}">${name}</a>`] : []));
  const remarks = [
    ...(prior > 0 ? [words.prior(count(prior))] : []),
    ...(dropped > 0 ? [words.dropped(count(dropped))] : []),
  ];
  return html`<a href="${timeMap.html}">${generalWords[language].versions(all)}</a><span class="wide"> <span class="soft">${words.since} <time datetime="${first.datetime}">${dayIn(language, timeZone, first.datetime)}</time>${remarks.length > 0 && html` (${remarks.join(generalWords[language].comma)})`}:</span>${links}</span>`;
}

/** A time when something began or ended. */
export interface MomentView {
  readonly at: string;
  /** Mementos that began then; the first of them. */
  readonly began: readonly MomentEntry[];
  /** What was deleted then; the first of it. */
  readonly ended: readonly Omit<MomentEntry, 'memento'>[];
  /** How many began or ended besides. */
  readonly others: number;
}

export interface MomentEntry {
  /** For people: a format, or the name of a file. */
  readonly name: string;
  readonly uri: string;
  readonly memento: string;
  /** From the repository's own history. */
  readonly prior: boolean;
}

/** A list of moments, in the order given. */
export function momentList(moments: readonly MomentView[], now: string, reader: Reader): Markup {
  return html`<ol class="moments">
${moments.map(
  (moment) => html`<li>${exactTimeAndAge(reader, moment.at, now)}${told(moment, reader)}</li>
`,
)}</ol>`;
}

function told({ began, ended, others }: MomentView, { language, count }: Reader): Markup {
  const words = historyWords[language];
  const links = began.map(({ name, memento }) => html` <a href="${memento}">${name}</a>`);
  const gone = ended.map(({ name }) => html` <span class="warn">${words.deleted(name)}</span>`);
  const prior = began.length > 0 && began.every((entry) => entry.prior);
  return html`${links}${gone}${others > 0 && html` <span class="soft">${words.more(count(others))}</span>`}${prior && html` <span class="soft">${words.isPrior}</span>`}`;
}
