import type { SourceMetadata, SourceVersion } from '../../../src/core/adapter.ts';
import { isBridgeError } from '../../../src/core/errors.ts';
import { type ListedMemento, readTimeMap } from '../../../src/resourcesync/reading/time-map.ts';
import { beginningOf, type SourcePort } from '../../../src/resourcesync/source-port.ts';
import { isHopeless } from '../reading/hopeless.ts';
import { bareStatement, fetchPayload } from '../reading/payload.ts';

/** Metadata that has come for the first time, and where its earlier states are listed. */
export interface PastOf {
  readonly metadata: SourceMetadata;
  readonly timeMap: string;
}

/** A document of an item as it was from a moment on. */
interface State {
  readonly at: string;
  readonly metadata: SourceMetadata;
}

/** The latest ones of a resource. */
const mostStates = 50;
const mostPages = 20;
const longestPage = 4 * 1024 * 1024;

/**
 * What an item was before, by the TimeMaps of its documents (RFC 7089): in each state each document as it was then.
 * @param known what another part of the list has brought of it
 * @param isAllowed whether an address may be asked
 * @throws BridgeError where the next one would fare no better; what is wrong with a past is no reason to lose the item
 */
export async function readPast(
  documents: readonly PastOf[],
  known: readonly SourceVersion[],
  port: SourcePort,
  isAllowed: (uri: string) => boolean,
): Promise<readonly SourceVersion[]> {
  const states = known.flatMap(({ createdAt, metadata }) =>
    metadata.map((one): State => ({ at: createdAt, metadata: one })),
  );
  for (const { metadata, timeMap } of documents) {
    const { lastModified } = metadata;
    const listed = await listMementos(timeMap, port, isAllowed);
    const earlier = listed.filter(({ at }) => lastModified === undefined || at < lastModified);
    for (const { uri, at } of earlier.slice(-mostStates)) {
      const payload = isAllowed(uri) ? await fetchPayload(bareStatement(uri), port) : undefined;
      if (payload?.kind !== 'content') continue;
      const { content, sha256: hash } = payload;
      const { format, mediaType, profile } = metadata;
      states.push({
        at,
        metadata: {
          ...{ format, content, hash, upstreamUrl: uri },
          ...(mediaType !== undefined && { mediaType }),
          ...(profile !== undefined && { profile }),
        },
      });
    }
  }
  return versionsOf(states);
}

async function listMementos(
  timeMap: string,
  port: SourcePort,
  isAllowed: (uri: string) => boolean,
): Promise<readonly ListedMemento[]> {
  const found = new Map<string, ListedMemento>();
  const pages = [timeMap];
  for (let index = 0; index < Math.min(pages.length, mostPages); index += 1) {
    const page = pages[index] ?? timeMap;
    if (!isAllowed(page)) continue;
    const text = await textOf(page, port);
    const { mementos, pages: more } = readTimeMap(text, page);
    for (const one of mementos) found.set(one.at, one);
    for (const other of more) if (!pages.includes(other)) pages.push(other);
  }
  return [...found.values()].sort((a, b) => Number(a.at > b.at) - Number(a.at < b.at));
}

/** Empty where there is none. */
async function textOf(uri: string, port: SourcePort): Promise<string> {
  try {
    const response = await port.get(uri, 'resource', { accept: 'application/link-format' });
    const text = await beginningOf(response, longestPage);
    return response.status === 200 ? text : '';
  } catch (error) {
    if (!isBridgeError(error) || isHopeless(error)) throw error;
    return '';
  }
}

/** For each moment of a change, all documents as they were from then on. */
function versionsOf(states: readonly State[]): readonly SourceVersion[] {
  const moments = [...new Set(states.map(({ at }) => at))].sort();
  return moments.map((createdAt, index) => {
    const latest = new Map<string, State>();
    for (const state of states) {
      const before = latest.get(state.metadata.format);
      if (state.at <= createdAt && (before === undefined || before.at <= state.at))
        latest.set(state.metadata.format, state);
    }
    const metadata = [...latest.values()].map((state) => state.metadata);
    return { number: index + 1, createdAt, metadata, files: [] };
  });
}
