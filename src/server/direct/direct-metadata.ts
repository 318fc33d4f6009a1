import { toIso } from '../../core/datetime.ts';
import { unpackAtOnce } from '../../store/payloads/blobs.ts';
import { findMetadataAtOnce } from '../../store/reading/kept-metadata.ts';
import type { ServerDeps } from '../deps.ts';
import { isServedPath } from '../http/base-path.ts';
import { wholeHeaders } from '../http/representation.ts';
import { commonHeaders } from '../operations/request-hooks.ts';
import type { Asked, GivenAnswer } from '../repeated/answer-memory.ts';
import { isServed, settingsOf } from '../repeated/grounds.ts';
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
  return (asked: Asked, served: string, isRead: () => boolean): GivenAnswer | undefined => {
    if (!isServedPath(served)) return undefined;
    const path = served.slice(1);
    const found = findMetadataAtOnce(database.reader, path);
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
    if (status === 304) return { status, headers, grounds, body: undefined };
    const bytes = blob && unpackAtOnce(database.reader, blob);
    if (bytes?.byteLength !== length) return undefined;
    return { status, headers, grounds, body: Buffer.from(bytes.buffer, bytes.byteOffset, length) };
  };
}
