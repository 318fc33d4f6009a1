import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { harvestItem } from '../../../src/harvest/items/one-item.ts';
import { Level } from '../../house/chain/level.ts';
import {
  capabilityList,
  resourceList,
  sha256,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const never = new AbortController().signal;
const payload = (n: number) => `<dc xmlns="http://purl.org/dc/elements/1.1/">${n}</dc>`;

describeOnBoth('a damaged payload of a Source', (database) => {
  let source: WrittenSource;
  let level: Level;

  beforeEach(async () => {
    source = await WrittenSource.open();
    source.put('/cap.xml', capabilityList(source.origin, { resourcelist: '/list.xml' }));
    const entries = [1, 2, 3].map((n) => {
      source.put(`/r/${n}.xml`, payload(n));
      return `<url><loc>${source.origin}/r/${n}.xml</loc><lastmod>2026-01-01T00:00:00Z</lastmod><rs:md hash="${sha256(payload(n))}" type="application/xml"/></url>`;
    });
    source.put('/list.xml', resourceList(entries.join('')));
    const settings = { adapter: 'resourcesync', url: `${source.origin}/cap.xml` };
    level = await Level.open('odd', settings, database().config);
    await level.turn('full');
    source.turnPage();
  });
  afterEach(async () => {
    await level.close();
    await source.close();
  });

  const row = (n: number) => level.bridge.database.writer('blob').where({ hash: sha256(payload(n)) });
  const damage = (n: number) => row(n).update({ coding: 'identity', data: Buffer.from('else') });
  const served = async () => {
    const paths = [...(await level.metadata()).keys()].sort();
    const answers = await Promise.all(paths.map((path) => fetch(`${level.url}/odd${path}`)));
    return Promise.all(answers.map(async (answer) => (answer.ok ? answer.text() : answer.status)));
  };
  const read = () => source.asked.filter((path) => path.startsWith('/r/'));

  test('is fetched again by a full pass that somebody asks for, and nothing else is', async () => {
    await damage(1);
    await row(3).delete();
    expect(await served()).toEqual([500, payload(2), 500]);
    expect(await level.turn()).toMatchObject({ updated: 0 });
    expect(read()).toEqual([]);
    expect(await level.turn('full')).toMatchObject({ state: 'succeeded', created: 0, updated: 0 });
    expect(read().sort()).toEqual(['/r/1.xml', '/r/3.xml']);
    expect(await served()).toEqual([payload(1), payload(2), payload(3)]);
  });

  test('is fetched again with its item', async () => {
    await damage(2);
    const { database: opened, clock } = level.bridge;
    const deps = { database: opened, clock, log: pino({ level: 'silent' }) };
    const report = await harvestItem(deps, level.bridge.source('odd'), `${source.origin}/r/2.xml`, {
      stop: never,
      signal: never,
    });
    expect(report).toMatchObject({ outcome: 'stored' });
    expect(read()).toEqual(['/r/2.xml']);
    expect(await served()).toEqual([payload(1), payload(2), payload(3)]);
  });
});

test('what arrives otherwise than its server sent it is not taken', async () => {
  const source = await WrittenSource.open();
  source.put('/cap.xml', capabilityList(source.origin, { resourcelist: '/list.xml' }));
  source.put(
    '/list.xml',
    resourceList(`<url><loc>${source.origin}/r/1.xml</loc><rs:md type="application/xml"/></url>`),
  );
  const digest = Buffer.from(sha256(payload(1)).slice(8), 'hex').toString('base64');
  const headers = {
    'repr-digest': `sha-256=:${digest}:`,
    'last-modified': 'Thu, 26 Nov 2026 00:00:00 GMT',
  };
  source.put('/r/1.xml', payload(2), { headers });
  const level = await Level.open('odd', { adapter: 'resourcesync', url: `${source.origin}/cap.xml` });
  try {
    expect(await level.turn('full')).toMatchObject({ created: 0, problems: 1 });
    expect((await level.problems())[0]?.message).toContain('it arrived damaged');
    source.put('/r/1.xml', payload(1), { headers });
    expect(await level.turn('full')).toMatchObject({ created: 1, problems: 0 });
  } finally {
    await level.close();
    await source.close();
  }
});
