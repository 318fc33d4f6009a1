import type { Bridge } from '../../bridge/bridge.ts';
import { countOf } from '../../core/count-of.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { parseLinkset } from '../../core/signposting/linkset.ts';
import { mediaType, type TypedLink } from '../../core/signposting/typed-link.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';
import { readItemFiles } from '../../store/files/item-files.ts';
import { type SampledItem, sampleItems } from '../../store/reading/item-sample.ts';
import { findItem } from '../../store/reading/items.ts';
import { sourceIdOf } from '../../store/rows/one-source.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { Finding } from './finding.ts';
import {
  bitstreamIn,
  compareLinkset,
  type LinksetComparison,
  type PublishedItem,
} from './linkset-comparison.ts';

const sampleSize = 3;
/** Milliseconds for a link set. */
const deadline = 20_000;
const maximumLinkset = 8 * 1024 * 1024;

/**
 * A second opinion: DSpace (7.6 and later) publishes links of its own about each item, for everybody. What is
 * published here of a few items is held against them.
 * @param base of the REST API
 */
export async function* checkLinksets(
  bridge: Bridge,
  { name, config }: HarvestSource,
  base: string,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const check = `link sets of ${name}`;
  const { mode, bundles } = config.files;
  // They name the files of the bundle ORIGINAL, no others.
  if (mode === 'none' || (bundles !== undefined && bundles.join() !== 'ORIGINAL')) return;
  const sample = await sampleItems(bridge.database.reader, name, sampleSize);
  if (sample.length === 0) {
    yield { check, ok: true, message: 'nothing is published yet to compare them with' };
    return;
  }
  const { http } = bridge.fileWork(name);
  const summary = { items: 0, agreed: 0, withheld: 0, differing: 0 };
  const silences = new Set<string>();
  const notes: string[] = [];
  for (const item of sample) {
    const ours = await publishedItem(bridge, name, item);
    if (ours === undefined) continue;
    const url = `${base.replace(/\/api$/, '')}/signposting/linksets/${ours.uuid}/json`;
    const links = await readLinkset(http, url, signal);
    if (typeof links === 'string') {
      silences.add(links);
      continue;
    }
    const comparison = compareLinkset(links, ours);
    summary.items += 1;
    summary.agreed += comparison.agreed;
    summary.withheld += comparison.withheld;
    if (comparison.otherNames.length > 0) notes.push(nameNote(item.identifier, comparison));
    const difference = describeDifference(comparison);
    if (difference === undefined) continue;
    summary.differing += 1;
    const message = `${item.identifier}: ${difference}. Perhaps it changed since the last harvest: harvest, and check again.`;
    const mend = `rsbridge harvest ${name} --item ${item.identifier}`;
    yield { check, ok: false, message, exitCode: exitCodes.needsAttention, mend };
  }
  if (summary.items === 0) {
    const why = silences.size === 0 ? 'no item tells its UUID' : [...silences].join('; ');
    yield { check, ok: true, message: `not to be compared: ${why}` };
  } else if (summary.differing === 0) {
    const held = summary.withheld === 0 ? '' : `, ${summary.withheld} more are held back`;
    const message = `${countOf(summary.items, 'item')} compared, ${countOf(summary.agreed, 'file')} in both${held}${notes.join('')}`;
    yield { check, ok: true, message };
  }
}

async function publishedItem(
  { database }: Bridge,
  source: string,
  { id, identifier }: SampledItem,
): Promise<(PublishedItem & { readonly uuid: string }) | undefined> {
  const item = await findItem(database.reader, source, identifier);
  if (item === undefined) return undefined;
  const living = item.resources.filter(({ deletedAt }) => deletedAt === undefined);
  const uuid = living.map(({ upstreamUrl }) => itemUuid.exec(upstreamUrl ?? '')?.[1]).find(Boolean);
  if (uuid === undefined) return undefined;
  const files = living.filter(({ kind }) => kind === 'file');
  const sourceId = (await sourceIdOf(database.reader, source)) ?? 0;
  const stated = (await readItemFiles(database.reader, sourceId, [id])).get(id)?.files ?? [];
  const hidden = stated.filter(({ access }) => access !== undefined && access !== 'open');
  return {
    uuid,
    handle: /^oai:[^:]+:(.+)$/.exec(identifier)?.[1],
    published: bitstreams(files.map(({ upstreamUrl, path }) => upstreamUrl ?? path)),
    withheld: bitstreams(hidden.map(({ url }) => url)),
  };
}

const itemUuid = /\/core\/items\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

function bitstreams(urls: readonly string[]): ReadonlySet<string> {
  return new Set(urls.flatMap((url) => bitstreamIn(url) ?? []));
}

/** @returns its links, or why there are none: one clause */
async function readLinkset(
  http: ReturnType<Bridge['fileWork']>['http'],
  url: string,
  signal: AbortSignal,
): Promise<readonly TypedLink[] | string> {
  const headers = { accept: 'application/linkset+json' };
  try {
    const options = { signal, headers, patient: false, deadline, maxBytes: maximumLinkset };
    const response = await http.get(url, options);
    const type = mediaType(response.headers['content-type']);
    if (response.status !== 200 || type === 'text/html') {
      await response.discard();
      return `they are not offered (${response.status === 200 ? 'an HTML page' : `HTTP status ${response.status}`})`;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const links = parseLinkset(Buffer.concat(chunks).toString('utf8'), type, response.url);
    // Without any link it is something else.
    return links.length === 0 ? 'the answer is no link set' : links;
  } catch (error) {
    signal.throwIfAborted();
    if (!isBridgeError(error)) throw error;
    return describeError(error);
  }
}

const shownIds = 3;

/** What makes a difference to who follows either; undefined: nothing does. */
function describeDifference({ missing, surplus }: LinksetComparison): string | undefined {
  const parts = [
    ...(missing.length === 0
      ? []
      : [`its link set names ${countOf(missing.length, 'file')} not published here (${shown(missing)})`]),
    ...(surplus.length === 0
      ? []
      : [
          `${countOf(surplus.length, 'file')} published here ${surplus.length === 1 ? 'is' : 'are'} not in its link set (${shown(surplus)})`,
        ]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

function nameNote(identifier: string, { otherNames }: LinksetComparison): string {
  return `; ${identifier} is to be cited as ${otherNames.slice(0, shownIds).join(', ').slice(0, 300)}`;
}

function shown(ids: readonly string[]): string {
  const more = ids.length > shownIds ? ', …' : '';
  return ids.slice(0, shownIds).join(', ') + more;
}
