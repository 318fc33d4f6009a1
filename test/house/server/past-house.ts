import { createHash } from 'node:crypto';
import { request } from 'undici';
import type { Database } from '../../../src/store/engine/database.ts';
import { packBlob } from '../../../src/store/payloads/blobs.ts';
import { type House, type SeededResource, seedResource } from './fixture.ts';

export const base = 'https://bridge.example.org/rs';

/** One step of the life of a resource. */
export interface SeededStep {
  readonly datetime: string;
  /** Null: it was deleted. */
  readonly content: string | null;
  readonly droppedAt?: string;
  readonly mediaType?: string;
  /** False: its bytes are not kept. */
  readonly keep?: boolean;
}

/** A resource with a past, as the last of its steps left it. @returns its path and its URI-R */
export async function seedPast(
  database: Database,
  steps: readonly SeededStep[],
  seeded: SeededResource = {},
): Promise<{ readonly path: string; readonly uri: string }> {
  const { writer } = database;
  const last = steps.at(-1);
  const living = steps.findLast(({ content }) => content !== null);
  const { path } = await seedResource(database, {
    content: living?.content ?? '<none/>',
    lastmod: last?.datetime ?? '2026-01-01T00:00:00Z',
    keep: false,
    ...(last?.content === null && { deletedAt: last.datetime }),
    ...seeded,
  });
  const row: { id: number; source_id: number } | undefined = await writer('resource')
    .where({ path })
    .first('id', 'source_id');
  for (const [index, { datetime, content, droppedAt, mediaType, keep = true }] of steps.entries()) {
    const bytes = content === null ? undefined : Buffer.from(content);
    const hash = bytes && `sha-256:${createHash('sha256').update(bytes).digest('hex')}`;
    await writer('version').insert({
      source_id: row?.source_id,
      resource_id: row?.id,
      seq: index + 1,
      at: datetime,
      lastmod: datetime,
      media_type: bytes ? (mediaType ?? seeded.mediaType ?? 'application/xml') : null,
      length: bytes?.byteLength ?? null,
      hash: hash ?? null,
      gone: content === null ? 1 : 0,
      dropped_at: droppedAt ?? null,
    });
    if (bytes && hash && keep) await writer('blob').insert(packBlob(hash, bytes)).onConflict('hash').ignore();
  }
  return { path, uri: `${base}/${path}` };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly links: readonly LinkValue[];
  readonly body: string;
}

/** @param target a path of the server, or one of its public URIs */
export async function ask(
  house: House,
  target: string,
  headers: Record<string, string | string[]> = {},
  method: 'GET' | 'HEAD' | 'OPTIONS' = 'GET',
): Promise<Answer> {
  const path = target.startsWith(`${base}/`) ? target.slice(base.length) : target;
  const response = await request(`${await house.origin()}${path}`, { headers, method });
  const body = await response.body.text();
  const given = response.headers as Readonly<Record<string, string | undefined>>;
  return { status: response.statusCode, headers: given, links: parseLinks(given.link ?? ''), body };
}

export interface LinkValue {
  readonly href: string;
  readonly rel: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
}

/** A reader of Link values (RFC 8288 §3) of its own: character by character, and strict. */
export function parseLinks(text: string): readonly LinkValue[] {
  const links: LinkValue[] = [];
  let at = 0;
  const skip = () => {
    while (/\s/.test(text[at] ?? '')) at += 1;
  };
  const expectCharacter = (character: string) => {
    if (text[at] !== character) throw new Error(`${character} expected at ${at}: ${text.slice(at, at + 40)}`);
    at += 1;
  };
  const until = (character: string) => {
    const end = text.indexOf(character, at);
    if (end < 0) throw new Error(`no ${character} behind ${at}`);
    const value = text.slice(at, end);
    at = end + 1;
    return value;
  };
  skip();
  while (at < text.length) {
    expectCharacter('<');
    const href = until('>');
    const parameters: Record<string, string> = {};
    skip();
    while (text[at] === ';') {
      at += 1;
      skip();
      const name = until('=');
      expectCharacter('"');
      if (name in parameters) throw new Error(`${name} twice`);
      parameters[name] = until('"');
      skip();
    }
    links.push({ href, rel: (parameters.rel ?? '').split(' '), parameters });
    skip();
    if (at < text.length) {
      expectCharacter(',');
      skip();
    }
  }
  return links;
}

export function byRelation(links: readonly LinkValue[], relation: string): readonly LinkValue[] {
  return links.filter(({ rel }) => rel.includes(relation));
}
