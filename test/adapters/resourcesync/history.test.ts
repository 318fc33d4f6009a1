import { afterEach, expect, test } from 'vitest';
import { Level } from '../../house/chain/level.ts';
import {
  capabilityList,
  resourceList,
  sha256,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function follow(name: string, url: string, resourcesync: object = {}): Promise<Level> {
  const level = await Level.open(name, { adapter: 'resourcesync', url, resourcesync });
  opened.push(level);
  return level;
}

/** A bridge whose one record was three things, day after day, in two formats the last of which came later. */
async function withPast(): Promise<Level> {
  const source = await WrittenSource.open();
  opened.push(source);
  source.put('/cap.xml', capabilityList(source.origin, { resourcelist: '/list.xml' }));
  const first = await follow('west', `${source.origin}/cap.xml`);
  const days: [string, ...string[]][] = [
    ['2026-01-01', 'oai_dc'],
    ['2026-01-02', 'oai_dc'],
    ['2026-01-03', 'oai_dc', 'mods'],
  ];
  for (const [day, ...formats] of days) {
    const entries = formats.map((format) => {
      const content = `<${format}>${day}</${format}>`;
      source.put(`/west/items/1/${format}.xml`, content);
      return `<url><loc>${source.origin}/west/items/1/${format}.xml</loc><lastmod>${day}T00:00:00Z</lastmod><rs:md hash="${sha256(content)}" type="application/xml"/></url>`;
    });
    source.put('/list.xml', resourceList(entries.join(''), `${day}T01:00:00Z`));
    await first.turn('full');
  }
  return first;
}

/** What a record was, by the moment from which on. */
async function past(level: Level, format: string): Promise<Readonly<Record<string, string>>> {
  const path = [...(await level.metadata()).keys()].find((one) => one.endsWith(`/${format}.xml`));
  const map = await fetch(`${level.url}/timemap/link/${level.url}/${level.name}${path}`);
  const states: Record<string, string> = {};
  for (const [, uri = '', at = ''] of (await map.text()).matchAll(
    /<([^>]+)>;\s*rel="[^"]*memento";\s*datetime="([^"]+)"/g,
  ))
    states[new Date(at).toISOString().slice(0, 10)] = await (await fetch(uri)).text();
  return states;
}

const states = (format: string, ...days: string[]) =>
  Object.fromEntries(days.map((day) => [day, `<${format}>${day}</${format}>`]));

test('earlier states of a Source with TimeMaps are mementos here, and stay when more comes', async () => {
  const first = await withPast();
  expect(await past(first, 'oai_dc')).toEqual(states('oai_dc', '2026-01-01', '2026-01-02', '2026-01-03'));
  const second = await follow('nation', first.set, { history: true });
  expect(await second.turn('full')).toMatchObject({ state: 'succeeded', created: 2 });
  expect(await past(second, 'oai_dc')).toEqual(await past(first, 'oai_dc'));
  expect(await past(second, 'mods')).toEqual(states('mods', '2026-01-03'));
  expect(await second.turn('full')).toMatchObject({ created: 0, updated: 0 });
  expect(Object.keys(await past(second, 'oai_dc'))).toHaveLength(3);
});

test('nobody asks for them who is not told to', async () => {
  const first = await withPast();
  const second = await follow('nation', first.set);
  await second.turn('full');
  expect(await past(second, 'oai_dc')).toEqual(states('oai_dc', '2026-01-03'));
});

test('a TimeMap that is broken, or leads elsewhere, costs the past alone', async () => {
  const source = await WrittenSource.open();
  opened.push(source);
  source.put('/cap.xml', capabilityList(source.origin, { resourcelist: '/list.xml' }));
  const maps = {
    '/broken': '<html>not found',
    '/elsewhere': '<http://10.0.0.1/1>; rel="memento"; datetime="Thu, 01 Jan 2026 00:00:00 GMT"',
    '/gone': `<${source.origin}/none>; rel="memento"; datetime="Thu, 01 Jan 2026 00:00:00 GMT"`,
  };
  const entries = Object.entries(maps).map(([path, map]) => {
    source.put(`/map${path}`, map, { type: 'application/link-format' });
    source.put(path, '<now/>', { headers: { link: `<${source.origin}/map${path}>; rel="timemap"` } });
    return `<url><loc>${source.origin}${path}</loc><rs:md type="application/xml"/></url>`;
  });
  source.put('/list.xml', resourceList(entries.join('')));
  const level = await follow('odd', `${source.origin}/cap.xml`, { history: true });
  expect(await level.turn('full')).toMatchObject({ state: 'succeeded', created: 3, problems: 0 });
  expect(source.asked).toContain('/map/gone');
});
