import { afterEach, beforeEach, expect, test } from 'vitest';
import { causeOf } from '../../../src/core/problem.ts';
import { Level } from '../../house/chain/level.ts';
import {
  capabilityList,
  resourceList,
  sha256,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

let source: WrittenSource;
let level: Level;

beforeEach(async () => {
  source = await WrittenSource.open();
});
afterEach(async () => {
  await level.close();
  await source.close();
});

describeOnBoth('metadata that cannot be read', (database) => {
  test('is named by its own address, beside the item that it describes', async () => {
    const { origin } = source;
    const entry = (n: number, content: string, length: number) =>
      `<url><loc>${origin}/m/${n}.xml</loc><rs:md hash="${sha256(content)}" length="${length}" type="application/xml"/><rs:ln rel="describes" href="${origin}/f/${n}.pdf"/></url>`;
    source.put('/cap.xml', capabilityList(origin, { resourcelist: '/list.xml' }));
    source.put(
      '/list.xml',
      resourceList(entry(1, '<a>2</a>', 8) + entry(2, '<a>1</a>', 9) + entry(3, '<a/>', 4)),
    );
    source.put('/m/1.xml', '<a>1</a>');
    source.put('/m/2.xml', '<a>1</a>');
    level = await Level.open(
      'named',
      { adapter: 'resourcesync', url: `${origin}/cap.xml` },
      database().config,
    );
    await level.turn('full');
    const problems = (await level.problems()).map(({ identifier, message }) => [identifier, message]).sort();
    const whats = [
      [1, `${origin}/m/1.xml: its content does not have the hash ${sha256('<a>2</a>')}`],
      [2, `${origin}/m/2.xml: it has 8 octets, not the 9 that are stated`],
      [3, `${origin}/m/3.xml answers 404`],
    ] as const;
    expect(problems).toEqual(whats.map(([n, message]) => [`${origin}/f/${n}.pdf`, message]));
    // Many of them are one cause all the same.
    expect(causeOf({ identifier: 'x', message: whats[1][1] })).not.toContain('/m/2.xml');
  });

  test('that has been deleted since it was listed is none', async () => {
    const { origin } = source;
    const entry = (n: number) =>
      `<url><loc>${origin}/m/${n}.xml</loc><rs:md type="application/xml"/><rs:ln rel="describes" href="${origin}/f/${n}.pdf"/></url>`;
    source.put('/cap.xml', capabilityList(origin, { resourcelist: '/list.xml' }));
    source.put('/list.xml', resourceList(entry(1) + entry(2)));
    source.put('/m/1.xml', '<a>1</a>');
    source.put('/m/2.xml', 'gone', { status: 410 });
    const config = { adapter: 'resourcesync', url: `${origin}/cap.xml` } as const;
    level = await Level.open('gone', config, database().config);
    expect(await level.turn('full')).toMatchObject({ state: 'succeeded', created: 1, problems: 0 });
    // What is published, and in the list, is not taken away by that.
    source.put('/list.xml', resourceList(entry(1)));
    source.put('/m/1.xml', 'gone', { status: 410 });
    expect(await level.turn('full')).toMatchObject({ deleted: 0, problems: 1 });
  });
});
