import { afterEach, expect, test } from 'vitest';
import { Level } from '../../house/chain/level.ts';
import { capabilityList, resourceList, WrittenSource } from '../../house/resourcesync/written-source.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** Two bridges that follow each other, of which the first reads the repository itself. */
test('records that come back by another bridge are noticed by their origin, others are not', async () => {
  const repository = await WrittenSource.open();
  opened.push(repository);
  const record = `<url><loc>${repository.origin}/oai/1.xml</loc><rs:md type="application/xml"/></url>`;
  repository.put('/oai/1.xml', '<one/>');
  repository.put('/oai/cap.xml', capabilityList(repository.origin, { resourcelist: '/oai/list.xml' }));
  repository.put('/oai/list.xml', resourceList(record));
  const first = await Level.open('own', {
    ...{ adapter: 'resourcesync', url: `${repository.origin}/oai/cap.xml` },
  });
  opened.push(first);
  await first.turn('full');
  const second = await Level.open('west', { adapter: 'resourcesync', url: first.set });
  opened.push(second);
  await second.turn('full');
  // The first one follows the second from now on.
  const lessons = async () => first.bridge.source('back').lessons.all();
  first.bridge.config.sources.back = {
    ...first.bridge.source('own').config,
    url: second.set,
  };
  await first.turnOf('back', 'full');
  expect(await lessons()).toMatchObject([{ key: 'read-twice', value: 'own' }]);
  expect((await lessons())[0]?.sentence).toContain(`comes from ${repository.origin}/oai/1.xml`);
  // Another one has other records.
  const other = await WrittenSource.open();
  opened.push(other);
  other.put('/r/2.xml', '<two/>');
  other.put('/cap.xml', capabilityList(other.origin, { resourcelist: '/list.xml' }));
  other.put(
    '/list.xml',
    resourceList(`<url><loc>${other.origin}/r/2.xml</loc><rs:md type="application/xml"/></url>`),
  );
  first.bridge.config.sources.third = {
    ...first.bridge.source('own').config,
    url: `${other.origin}/cap.xml`,
  };
  await first.turnOf('third', 'full');
  expect(first.bridge.source('third').lessons.all()).toEqual([]);
});
