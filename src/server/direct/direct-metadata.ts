import { toIso } from '../../core/datetime.ts';
import { type BlobRow, unpackAtOnce, unpackInRows } from '../../store/payloads/blobs.ts';
import {
  findKeptMetadata,
  findMetadataAtOnce,
  type KeptMetadata,
} from '../../store/reading/kept-metadata.ts';
import type { ServerDeps } from '../deps.ts';
import { wholeHeaders } from '../http/representation.ts';
import { commonHeaders } from '../operations/request-hooks.ts';
import type { Asked, GivenAnswer } from '../repeated/answer-memory.ts';
import { isServed, never, settingsOf } from '../repeated/grounds.ts';
import { groundsOfResource, metadataOf } from '../resources/metadata.ts';
import { linkOf } from '../resources/resource-links.ts';
import { conditionalOf } from './conditional.ts';
import { createFields } from './fields.ts';

/** What takes longer to unpack is left to those who take turns. */
const most = 65_536;

/** Living metadata (`resources/resources.ts`). */
export function createDirectMetadata(deps: ServerDeps) {
  const toFields = createFields(commonHeaders(deps, true));
  const { database, clock } = deps;

  /** All but its bytes; undefined: it goes the long way. */
  function begin(asked: Asked, found: KeptMetadata | undefined, isRead: () => boolean): Begun | undefined {
    if (!found) return undefined;
    const { resource, blob } = found;
    const { source, hash, length = 0, lastmod, deletedAt } = resource;
    if (deletedAt !== undefined || hash === undefined || length > most || !isServed(deps, source))
      return undefined;
    const grounds = groundsOfResource(deps, lastmod, settingsOf(deps, source), isRead);
    if (!grounds) return undefined;
    const link = linkOf(deps, found);
    const representation = metadataOf(deps, resource, link);
    const answer = wholeHeaders(conditionalOf(asked, toIso(clock.now())), representation);
    if (!answer) return undefined;
    const { status } = answer;
    const headers = toFields(link, answer.headers);
    if (!headers) return undefined;
    return { answer: { status, headers, grounds, body: undefined }, blob, length };
  }

  return {
    atOnce: (asked: Asked, path: string, isRead: () => boolean): GivenAnswer | undefined => {
      const begun = begin(asked, findMetadataAtOnce(database.reader, path), isRead);
      if (!begun || begun.answer.status === 304) return begun?.answer;
      return withBody(begun, begun.blob && unpackAtOnce(database.reader, begun.blob));
    },
    later: async (asked: Asked, path: string): Promise<GivenAnswer | undefined> => {
      const begun = begin(asked, await findKeptMetadata(database.reader, path), never);
      if (!begun || begun.answer.status === 304) return begun?.answer;
      return withBody(begun, begun.blob && (await unpackInRows(database.reader, begun.blob)));
    },
  };
}

interface Begun {
  readonly answer: GivenAnswer;
  readonly blob: BlobRow | undefined;
  readonly length: number;
}

function withBody({ answer, length }: Begun, bytes: Uint8Array | undefined): GivenAnswer | undefined {
  if (bytes?.byteLength !== length) return undefined;
  return { ...answer, body: Buffer.from(bytes.buffer, bytes.byteOffset, length) };
}
