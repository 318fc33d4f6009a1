import type { HttpResponse } from '../../../src/core/adapter.ts';
import { parseHttpDate } from '../../../src/core/datetime.ts';
import { describeError, isBridgeError } from '../../../src/core/errors.ts';
import { parseLinkField } from '../../../src/core/signposting/link-field.ts';
import { ContentDigest, differenceFrom } from '../../../src/resourcesync/reading/content-digest.ts';
import { damageOnTheWay, servedHashes, withServed } from '../../../src/resourcesync/reading/served-digest.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import type { SourcePort } from '../../../src/resourcesync/source-port.ts';
import { isHopeless } from './hopeless.ts';

export type Payload =
  | {
      readonly kind: 'content';
      readonly content: Uint8Array;
      readonly sha256: string;
      readonly lastModified: string | undefined;
      /** Where its earlier states are listed, as its server says. */
      readonly timeMap: string | undefined;
    }
  /** Not everybody may read it. */
  | { readonly kind: 'withheld' }
  /** @param isGone by its own word (410) */
  | { readonly kind: 'failed'; readonly reason: string; readonly isGone?: boolean };

/**
 * The bytes of a resource, believed only if they are what is stated, or newer than that.
 * @throws BridgeError `upstream-unreachable`, `upstream-busy`, `interrupted`: the next one would fare no better
 */
export async function fetchPayload(statement: Statement, port: SourcePort): Promise<Payload> {
  const first = await attempt(statement, port, {});
  if (first.kind !== 'content' || first.difference === undefined) return first;
  // A cache in between may be late.
  const second = await attempt(statement, port, { 'cache-control': 'no-cache' });
  if (second.kind !== 'content' || second.difference === undefined) return second;
  // It has changed since it was listed; the Source will say so, too.
  const { lastModified, difference, isDamaged } = second;
  if (
    !isDamaged &&
    lastModified !== undefined &&
    statement.lastmod !== undefined &&
    lastModified > statement.lastmod
  )
    return second;
  return { kind: 'failed', reason: named(statement.loc, difference) };
}

type Attempt =
  | (Extract<Payload, { kind: 'content' }> & {
      readonly difference: string | undefined;
      /** It is not what its server sent. */
      readonly isDamaged: boolean;
    })
  | Exclude<Payload, { kind: 'content' }>;

async function attempt(
  statement: Statement,
  port: SourcePort,
  headers: Readonly<Record<string, string>>,
): Promise<Attempt> {
  const { loc, type } = statement;
  try {
    const response = await port.get(loc, 'resource', headers);
    const { status } = response;
    if (status !== 200) {
      await response.discard();
      if (status === 401 || status === 403 || status === 451) return { kind: 'withheld' };
      return { kind: 'failed', reason: `${loc} answers ${status}`, isGone: status === 410 };
    }
    const served = servedHashes(status, response.headers);
    const digest = new ContentDigest(withServed(statement, served));
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) {
      digest.update(chunk);
      chunks.push(chunk);
    }
    const facts = digest.finish();
    const content = Buffer.concat(chunks);
    const isPage = /html/.test(response.headers['content-type'] ?? '') && !/html/.test(type ?? '');
    // A login, or an error that calls itself a success: where nothing is stated, that is all there is to tell it by.
    if (isPage && statement.hashes.length === 0)
      return { kind: 'failed', reason: `${loc} answers with a web page` };
    const damage = damageOnTheWay(served, facts);
    const modified = response.headers['last-modified'];
    return {
      kind: 'content',
      content,
      sha256: facts.sha256,
      lastModified: modified === undefined ? undefined : parseHttpDate(modified),
      timeMap: timeMapIn(response),
      difference: damage ?? differenceFrom(statement, facts),
      isDamaged: damage !== undefined,
    };
  } catch (error) {
    if (!isBridgeError(error) || isHopeless(error)) throw error;
    return { kind: 'failed', reason: named(loc, describeError(error)) };
  }
}

/** With the address that it is about: the item that it belongs to is called by what it describes. */
function named(loc: string, reason: string): string {
  return reason.includes(loc) ? reason : `${loc}: ${reason}`;
}

function timeMapIn({ headers, url }: Pick<HttpResponse, 'headers' | 'url'>): string | undefined {
  return parseLinkField(headers.link ?? '', url).find(({ relations }) => relations.includes('timemap'))?.href;
}

/** An address alone, of which nothing is stated. */
export function bareStatement(loc: string): Statement {
  const nothing = { change: undefined, datetime: undefined, lastmod: undefined, length: undefined };
  return { loc, ...nothing, hashes: [], type: undefined, path: undefined, links: [] };
}
