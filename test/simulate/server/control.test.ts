import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Simulator } from '../../../src/simulate/simulator.ts';

let source: Simulator;
beforeAll(async () => {
  // Whatever is on, the control answers well.
  source = await Simulator.open({ port: 0, rate: 0, resources: 3, size: 50 }, ['errors:1', 'late:1']);
});
afterAll(() => source.close());

const get = async (path: string) => {
  const response = await fetch(`${source.origin}/control${path}`);
  return response.headers.get('content-type') === 'application/json' ? response.json() : response.text();
};

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${source.origin}/control${path}`, { method: 'POST', body: text, headers });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

describe('the control of a simulated Source', () => {
  test('tells the truth at any moment', async () => {
    await post('/put', { path: '/a b'.replace(' ', '%20'), text: 'content', type: 'application/xml' });
    const hash = createHash('sha256').update('content').digest('hex');
    const { resources } = (await get('/state')) as { resources: { loc: string }[] };
    expect(resources).toHaveLength(4);
    expect(resources.find(({ loc }) => loc === `${source.origin}/a%20b`)).toMatchObject({
      hash: `sha-256:${hash}`,
      length: 7,
      type: 'application/xml',
    });
    expect(await get('/sha256sums')).toContain(`${hash}  a%20b\n`);
    expect(await get('/changes?since=0')).toMatchObject([{ change: 'created', hash: `sha-256:${hash}` }]);
  });

  test('takes bytes that are no text', async () => {
    await post('/put', { path: '/bytes', base64: Buffer.from([0, 255]).toString('base64') });
    expect(source.repository.get('/bytes')?.content.bytes()).toEqual(Buffer.from([0, 255]));
    expect((await post('/remove', { path: '/bytes' })).status).toBe(200);
    expect(source.repository.get('/bytes')).toBeUndefined();
  });

  test('makes changes, and says how many', async () => {
    const { answer } = await post('/step', { events: 4 });
    expect(answer).toMatchObject({ events: 4, isPaused: false });
    expect((await post('/step', '')).answer).toMatchObject({ events: 5 });
    expect((await post('/pause', {})).answer).toMatchObject({ isPaused: true });
    await post('/resume', {});
    await post('/forget', {});
    expect(await get('/changes?since=0')).toEqual([]);
    expect(await get('')).toMatchObject({ changes: 8, isPaused: false, post: { step: { events: 1 } } });
  });

  test('turns faults on and off, with what they need and no longer', async () => {
    expect((await fetch(`${source.origin}/capabilitylist.xml`)).status).toBe(500);
    const { answer } = await post('/faults', { faults: ['list-only', 'no-hash'] });
    expect(answer).toMatchObject({
      faults: ['list-only', 'no-hash'],
      settings: { offers: ['resourcelist'] },
    });
    expect(await (await fetch(`${source.origin}/capabilitylist.xml`)).text()).not.toContain('changelist.xml');
    expect((await post('/faults', { faults: [] })).answer).toMatchObject({
      settings: { offers: ['resourcelist', 'changelist'] },
    });
  });

  test.each([
    ['/faults', { faults: ['cut-document'] }, /no fault called cut-document.*perhaps .*cut-documents/],
    ['/faults', { faults: ['busy:2'] }, /from 0 to 1/],
    ['/faults', { faults: 'busy' }, /a list of names/],
    ['/step', { events: 0 }, /events is a whole number/],
    ['/step', '5', /give a JSON object/],
    ['/step', 'five', /give a JSON object/],
    ['/put', { path: 'a', text: '' }, /leading slash/],
    ['/put', { path: '/a' }, /text or base64/],
    ['/put', { path: '/a', text: '', type: 'x' }, /media type/],
    ['/remove', { path: '/never' }, /is not there/],
    ['/jump', {}, /there is no POST jump; GET \/control/],
  ])('%s %j is refused, and says what to send', async (path, body, message) => {
    const { status, answer } = await post(path, body);
    expect(status).toBe(400);
    expect(answer.error).toMatch(message);
  });

  test('does nothing for a page in a browser', async () => {
    const { status } = await post('/step', { events: 1 }, { origin: 'https://elsewhere.example.org' });
    expect(status).toBe(403);
  });
});
