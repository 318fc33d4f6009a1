import { afterEach, beforeEach, expect, test } from 'vitest';
import { type House, openHouse, publishedSet, seedResource } from '../../house/server/fixture.ts';

let house: House;
const lists = ['/kyushu/capabilitylist.xml', '/kyushu/metadata/resourcelist.xml'];
const description = '/.well-known/resourcesync';

beforeEach(async () => {
  house = await openHouse();
  await seedResource(house.database);
});
afterEach(() => house.close());

async function get(path: string) {
  const { status, headers } = await fetch((await house.origin()) + path);
  return [status, headers.get('retry-after')];
}

test('of a source whose first pass is over the lists come in a moment; before, there are none', async () => {
  const ofSource = () => house.database.writer('source').where({ name: 'kyushu' });
  for (const path of [...lists, description]) expect(await get(path)).toEqual([404, null]);
  await ofSource().update({ journal_seq: 1, first_pass_seq: 1 });
  for (const path of [...lists, description]) expect(await get(path)).toEqual([503, '5']);
  for (const path of [
    '/other/capabilitylist.xml',
    '/kyushu/none/capabilitylist.xml',
    '/kyushu/changelist.xml',
  ])
    expect(await get(path)).toEqual([404, null]);
  // In which there was nothing.
  await ofSource().update({ journal_seq: 0, first_pass_seq: 0 });
  for (const path of [...lists, description]) expect(await get(path)).toEqual([404, null]);
});

test('what a published source does not have is not there, and will not be', async () => {
  await house.database.writer('source').update({ journal_seq: 1, first_pass_seq: 1 });
  house.publication.published.push(publishedSet('kyushu'));
  for (const path of lists) expect(await get(path)).toEqual([404, null]);
});
