import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../src/core/errors.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';

let house: House;
let app: FastifyInstance;
let failure: unknown;
beforeEach(async () => {
  house = await openHouse({
    sources: async () => {
      throw failure;
    },
  });
  app = house.app;
});
afterEach(() => house.close());

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('a problem (RFC 9457)', () => {
  it('is JSON for programs', async () => {
    const { statusCode, headers, json } = await app.inject('/nowhere');
    expect(statusCode).toBe(404);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers.vary).toBe('Accept');
    expect(json()).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'there is nothing at this address',
      code: 'not-found',
      advice: 'See / for what is served here.',
      reason: { code: 'nothing-here', facts: {} },
    });
  });

  it('is a page for people', async () => {
    const { statusCode, headers, body } = await app.inject({ url: '/nowhere', headers: { accept: browser } });
    expect(statusCode).toBe(404);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("style-src 'sha256-");
    expect(body).toContain('<h1>Not Found</h1>');
    expect(body).toContain('not-found');
  });

  it.each([
    [new BridgeError('unknown-set', 'no such set'), 404, 'unknown-set', 'no such set'],
    [
      new BridgeError('database-unavailable', 'it does not answer'),
      503,
      'database-unavailable',
      'it does not answer',
    ],
    [new BridgeError('upstream-status', 'http://user:secret@h/ says 500'), 500, 'upstream-status', undefined],
    [new Error('password is secret'), 500, 'internal', undefined],
    ['a secret string', 500, 'internal', undefined],
    [undefined, 500, 'internal', undefined],
    [
      Object.assign(new Error('connect ECONNREFUSED secret'), { code: 'ECONNREFUSED' }),
      503,
      'database-unavailable',
      'the database does not answer',
    ],
    [Object.assign(new Error('secret'), { statusCode: 502 }), 500, 'internal', undefined],
  ])('tells of %s what may be told', async (thrown, status, code, detail) => {
    failure = thrown;
    const { statusCode, json, body, headers } = await app.inject('/?format=json');
    expect(statusCode).toBe(status);
    expect(json()).toMatchObject({ status, code, advice: expect.any(String) });
    expect(json().detail).toBe(detail);
    expect(body).not.toContain('secret');
    expect(headers['retry-after']).toBe(status === 503 ? '10' : undefined);
  });

  it('of our own making is logged with its cause', async () => {
    failure = new Error('outer', { cause: new Error('inner') });
    await app.inject('/');
    const line = house.log.find(({ msg }) => msg === 'request failed');
    expect(line).toMatchObject({ level: 50, code: 'internal' });
    expect(JSON.stringify(line)).toContain('inner');
  });
});
