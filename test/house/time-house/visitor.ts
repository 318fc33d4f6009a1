import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { parseHttpDate, toHttpDate } from '../../../src/core/datetime.ts';
import { timeGateUri, timeMapUri } from '../../../src/core/uris.ts';
import { type Entry, entriesIn, locsIn } from '../publish/list-entries.ts';
import { baseUrl } from '../publish/seed.ts';
import type { TimeHouse } from './house.ts';

export interface SeenMemento {
  readonly status: number;
  /** `Memento-Datetime`, ISO. */
  readonly datetime: string | undefined;
  readonly hash: string;
  readonly length: number;
  readonly isImmutable: boolean;
  readonly text: string;
}

const attemptsAtMost = 200;

/** Asks a house as the world does: by URIs alone. */
export class Visitor {
  readonly #house: TimeHouse;

  constructor(house: TimeHouse) {
    this.#house = house;
  }

  async get(uri: string, headers: Record<string, string> = {}) {
    expect(uri.startsWith(`${baseUrl}/`), uri).toBe(true);
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#house.app.inject({ url: uri.slice(baseUrl.length), headers });
      // A list is still being rendered.
      if (response.statusCode !== 503 || attempt === attemptsAtMost) return response;
    }
  }

  /** @returns where a TimeGate leads; undefined: to nothing */
  async timeGate(uri: string, at?: string): Promise<string | undefined> {
    const headers = at === undefined ? {} : { 'accept-datetime': toHttpDate(at) };
    const response = await this.get(timeGateUri(baseUrl, uri), headers);
    expect([302, 404], response.body).toContain(response.statusCode);
    // ME-01
    expect(response.headers.vary).toMatch(/accept-datetime/i);
    return response.statusCode === 302 ? String(response.headers.location) : undefined;
  }

  async memento(uri: string): Promise<SeenMemento> {
    const { statusCode: status, headers, rawPayload, body } = await this.get(uri);
    const datetime = headers['memento-datetime'];
    return {
      status,
      datetime: typeof datetime === 'string' ? parseHttpDate(datetime) : undefined,
      hash: `sha-256:${createHash('sha256').update(rawPayload).digest('hex')}`,
      length: rawPayload.byteLength,
      isImmutable: String(headers['cache-control']).includes('immutable'),
      text: body,
    };
  }

  /** @returns the datetimes of a TimeMap's mementos by their URIs, of all its pages; undefined: there is none */
  async timeMap(uri: string): Promise<ReadonlyMap<string, string> | undefined> {
    const found = new Map<string, string>();
    const seen = new Set<string>();
    const open = [timeMapUri(baseUrl, uri)];
    for (let page = open.shift(); page !== undefined; page = open.shift()) {
      if (seen.has(page)) continue;
      seen.add(page);
      const response = await this.get(page);
      if (response.statusCode === 404 && seen.size === 1) return undefined;
      expect(response.statusCode, response.body).toBe(200);
      for (const [, href = '', attributes = ''] of response.body.matchAll(/<([^>]*)>;([^\n]*)/g)) {
        const rel = /rel="([^"]*)"/.exec(attributes)?.[1]?.split(' ') ?? [];
        if (rel.includes('timemap')) open.push(href);
        if (!rel.includes('memento')) continue;
        found.set(href, parseHttpDate(/datetime="([^"]*)"/.exec(attributes)?.[1] ?? '') ?? '');
      }
    }
    return found;
  }

  /** @returns the entries of a list, be it one document or an index and its parts; undefined: there is none */
  async list(uri: string): Promise<readonly Entry[] | undefined> {
    const { statusCode, body } = await this.get(uri);
    if (statusCode === 404) return undefined;
    expect(statusCode, body).toBe(200);
    if (!body.includes('<sitemapindex')) return entriesIn(body);
    const entries: Entry[] = [];
    for (const part of locsIn(body)) entries.push(...((await this.list(part)) ?? []));
    return entries;
  }
}
