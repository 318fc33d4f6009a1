import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { exportPublication } from '../../../src/export/export.ts';
import { withdraw } from '../../../src/store/removal/withdrawals.ts';
import { onePage } from '../../house/one-page.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { baseUrl, endFirstPass, silent } from '../../house/publish/seed.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('archived Resource Lists, and what is withdrawn', (open) => {
  let living: LivingSource;
  let house: House;
  let joint: ResourceSet;
  let site: string;

  beforeEach(async () => {
    const { database } = open();
    living = await LivingSource.begin(database);
    const [all] = jointSets({ all: {} }, { [living.name]: {} });
    if (!all) throw new Error('there is no set');
    joint = all;
    site = mkdtempSync(join(tmpdir(), 'rsbridge-archived-'));
    const { publication, clock, directory } = living;
    const settings = { publication, baseUrl, database, clock, directory };
    house = await openHouse({ ...settings, jointSets: () => [joint] });
  });
  afterEach(async () => {
    await house.close();
    await living.end();
    rmSync(site, { recursive: true, force: true });
  });

  const publisher = () => living.publisher({ archives: true });
  async function publish(resourceList: 'always' | 'if-missing' = 'always'): Promise<void> {
    for (const set of [living.set('all'), joint]) await publisher().publish(set, { resourceList });
    await publisher().publishSite([living.set('all'), joint]);
  }
  async function get(path: string) {
    const response = await request(`${await house.origin()}/${path}`);
    return { status: response.statusCode, text: await response.body.text() };
  }
  const archived = async (set: ResourceSet) => {
    const { text } = await get(`${set.path}/resourcelist-archive.xml`);
    return [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc = '']) => loc.slice(baseUrl.length + 1));
  };
  async function exported(): Promise<void> {
    const { directory } = living;
    await exportPublication({
      ...{ database: open().database, directory, target: site, apart: [], baseUrl, log: silent },
      ...{ pages: onePage(Buffer.from('page')), fileMode: () => undefined },
      setOf: (path) => [living.set('all'), joint].find((set) => set.path === path),
    });
  }

  it('are handed out, exported and kept no more once something that they may name is', async () => {
    living.clock.set('2026-12-01T10:00:00Z');
    await living.deliver('open', { text: 'open' });
    await living.deliver('closed', { text: 'closed' });
    await endFirstPass(open().database, living.name);
    await publish();
    living.clock.set('2026-12-02T10:00:00Z');
    await living.deliver('open', { text: 'edited' });
    await publish();
    const sets = [living.set('all'), joint];
    const before = await Promise.all(sets.map(archived));
    expect(before.map(({ length }) => length)).toEqual([2, 2]);
    for (const path of before.flat()) expect([path, (await get(path)).status]).toEqual([path, 200]);

    living.clock.set('2026-12-02T12:00:00Z');
    const target = { source: living.name, identifier: 'closed', path: undefined };
    await withdraw(open().database, target, undefined, '2026-12-02T12:00:00Z');
    // At once, whoever publishes when.
    for (const path of before.flat()) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 410]);
      expect(answer.text).toContain('/timemap/link/');
    }
    await exported();
    for (const path of before.flat()) expect([path, existsSync(join(site, path))]).toEqual([path, false]);

    living.clock.set('2026-12-02T12:01:00Z');
    await living.settle();
    await publish();
    const after = await Promise.all(sets.map(archived));
    // The list of the same day that does not name it takes the place of the one that did.
    expect(after.map(({ length }) => length)).toEqual([1, 1]);
    for (const path of after.flat()) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.text).not.toContain('closed');
    }
    await exported();
    for (const path of after.flat()) expect(readFileSync(join(site, path), 'utf8')).toContain('/items/open/');
  });
});
