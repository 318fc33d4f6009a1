import { beforeEach, expect, test } from 'vitest';
import {
  isMarkedPrivate,
  listMarkedPrivate,
  markPrivate,
} from '../../../src/store/sources/private-sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('which sources are private', (open) => {
  beforeEach(() => open().database.writer('private_source').delete());
  const named = (...all: readonly (readonly [string, boolean])[]) =>
    new Map(all.map(([name, isPrivate]) => [name, { isPrivate }]));

  test('is remembered of those that have left the configuration, until they are there for everybody', async () => {
    const { database } = open();
    await markPrivate(database, named(['a', true], ['b', false], ['c', true]));
    expect(await listMarkedPrivate(database.reader)).toEqual(['a', 'c']);
    await Promise.all([1, 2].map(() => markPrivate(database, named(['d', true]))));
    expect(await listMarkedPrivate(database.reader)).toEqual(['a', 'c', 'd']);
    await markPrivate(database, named(['a', false]));
    expect(await listMarkedPrivate(database.reader)).toEqual(['c', 'd']);
    const asked = ['a', 'c', 'C', 'c\0'].map((name) => isMarkedPrivate(database.reader, name));
    expect(await Promise.all(asked)).toEqual([false, true, false, false]);
  });
});
