import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { SimulatorSettings } from '../../src/simulate/settings.ts';
import { Simulator } from '../../src/simulate/simulator.ts';
import { runMain } from '../house/cli/run-main.ts';

const open: Simulator[] = [];
afterEach(async () => {
  for (const source of open.splice(0)) await source.close();
});

async function start(settings: Partial<SimulatorSettings> = {}, faults: string[] = []): Promise<Simulator> {
  const source = await Simulator.open({ port: 0, rate: 0, resources: 20, size: 100, ...settings }, faults);
  open.push(source);
  return source;
}

/** What a Source came to, whatever its address and the time. */
function historyOf(source: Simulator): unknown {
  const at = (loc: string) => loc.slice(source.origin.length);
  return [
    source.state().resources.map(({ loc, hash }) => [at(loc), hash]),
    source.changes(0).map((change) => ({ ...change, datetime: '', loc: '' })),
  ];
}

describe('a simulated Source', () => {
  test('has the same history for the same seed, and another one for another', async () => {
    const [one, same, other] = [await start({ seed: 3 }), await start({ seed: 3 }), await start({ seed: 4 })];
    for (const source of [one, same, other]) source.step(50);
    expect(historyOf(same)).toEqual(historyOf(one));
    expect(historyOf(other)).not.toEqual(historyOf(one));
  });

  test('strikes the same addresses with the same seed, and as many as its share says', async () => {
    const refused = async (seed: number, share: string) => {
      const source = await start({ seed, resources: 100 }, [`gone:${share}`]);
      const found: string[] = [];
      for (const { loc } of source.state().resources) {
        if ((await fetch(loc)).status === 410) found.push(loc.slice(source.origin.length));
      }
      return found;
    };
    const struck = await refused(5, '0.3');
    expect(struck.length).toBeGreaterThan(15);
    expect(struck.length).toBeLessThan(50);
    expect(await refused(5, '0.3')).toEqual(struck);
    expect(await refused(6, '0.3')).not.toEqual(struck);
    expect(await refused(5, '0')).toEqual([]);
  });

  test('has about as many changes and octets as it is told to', async () => {
    const source = await start({ resources: 400, size: 1000, events: ['create'] });
    source.step(100);
    const { resources } = source.state();
    expect(resources).toHaveLength(500);
    const octets = resources.reduce((sum, { length }) => sum + length, 0);
    expect(octets / 500).toBeGreaterThan(850);
    expect(octets / 500).toBeLessThan(1150);
    expect(source.changes(0)).toHaveLength(100);
    expect(source.changes(98)).toHaveLength(2);
  });

  test('changes by itself at its rate, holds still when it is told to, and at the end of its events', async () => {
    const source = await start({ rate: 500, maximumEvents: 30 });
    source.pause();
    const { events } = source;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(source.events).toBe(events);
    source.resume();
    while (source.events < 30) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(source.events).toBe(30);
  });

  test('breaks no rule of the standard when it has no fault, whatever it offers', async () => {
    const source = await start({
      ...{ resources: 120, partSize: 50, packageSize: 50, closeAfter: 30, mementos: true, gzip: true },
      linksManifests: true,
      offers: ['resourcelist', 'changelist', 'resourcedump', 'changedump'],
    });
    source.step(70);
    const { code, stdout } = await runMain('/', ['validate', source.origin]);
    expect(stdout).toMatch(/6 packages opened: no errors, no warnings/);
    expect(code).toBe(0);
  }, 60_000);

  test('keeps former states, as entries link to them', async () => {
    const source = await start({ mementos: true });
    source.put('/a', 'first');
    source.put('/a', 'second');
    const list = await (await fetch(`${source.origin}/changelist.xml`)).text();
    const mementos = [...list.matchAll(/rel="memento" href="([^"]+)"/g)].map(([, href = '']) => href);
    const texts = await Promise.all(mementos.map(async (href) => (await fetch(href)).text()));
    expect(texts).toEqual(['first', 'second']);
    expect((await fetch(mementos[0] ?? '')).headers.get('memento-datetime')).toMatch(/GMT$/);
    expect((await fetch(`${mementos[0]}-other`)).status).toBe(404);
  });

  test('answers conditions, ranges, HEAD and gzip', async () => {
    const source = await start({ gzip: true });
    source.put('/a', 'x'.repeat(1000));
    const loc = `${source.origin}/a`;
    const plain = await fetch(loc, { headers: { 'accept-encoding': 'identity' } });
    const etag = plain.headers.get('etag') ?? '';
    expect(await plain.text()).toHaveLength(1000);
    expect((await fetch(loc, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const modified = plain.headers.get('last-modified') ?? '';
    expect((await fetch(loc, { headers: { 'if-modified-since': modified } })).status).toBe(304);
    const range = await fetch(loc, { headers: { range: 'bytes=990-', 'if-range': etag } });
    expect([range.status, await range.text(), range.headers.get('content-range')]).toEqual([
      206,
      'x'.repeat(10),
      'bytes 990-999/1000',
    ]);
    expect((await fetch(loc, { headers: { range: 'bytes=1000-' } })).status).toBe(416);
    expect((await fetch(loc, { headers: { range: 'bytes=9-', 'if-range': '"other"' } })).status).toBe(200);
    const head = await fetch(loc, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['1000', '']);
    expect((await fetch(loc, { method: 'PUT', body: 'x' })).status).toBe(405);
    const packed = await fetch(loc, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.text()).toBe('x'.repeat(1000));
  });

  test('has pages for people', async () => {
    const source = await start({ title: 'A <Source>' }, ['busy:0']);
    const page = await (await fetch(`${source.origin}/`)).text();
    expect(page).toContain('<h1>A &lt;Source&gt;</h1>');
    expect(page).toContain('<tr><th>Faults<td>busy');
    const sample = await (await fetch(`${source.origin}/resources`)).text();
    expect(sample).toContain('<a href="/resources/20">');
  });

  test('lists that are made now and then stay as they were until then', async () => {
    const source = await start({ listEverySeconds: Number.POSITIVE_INFINITY });
    const listed = async () =>
      (await (await fetch(`${source.origin}/resourcelist.xml`)).text()).includes('/new<');
    source.put('/new', 'new');
    expect(await listed()).toBe(false);
    source.list();
    expect(await listed()).toBe(true);
  });

  test('a part of a list belongs to its moment, whatever comes next', async () => {
    const source = await start({ resources: 10, partSize: 5 });
    const index = async () => {
      const text = await (await fetch(`${source.origin}/resourcelist.xml`)).text();
      return [...text.matchAll(/<loc>([^<]+)/g)].map(([, loc = '']) => loc);
    };
    const before = await index();
    source.put('/resources/1', 'changed');
    expect(await index()).not.toEqual(before);
    const texts = await Promise.all(before.map(async (loc) => (await fetch(loc)).text()));
    expect(texts.join('').match(/<url>/g)).toHaveLength(10);
    const hash = createHash('sha256').update('changed').digest('hex');
    expect(texts.join('')).not.toContain(hash);
  });
});
