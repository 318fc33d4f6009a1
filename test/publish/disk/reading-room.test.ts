import { expect, test } from 'vitest';
import { ReadingRoom } from '../../../src/publish/disk/reading-room.ts';

function readables(...names: readonly string[]) {
  const givenUp: string[] = [];
  return { givenUp, all: names.map((name) => ({ giveUp: () => void givenUp.push(name) })) };
}

test('what was not asked for the longest is given up first, and once', () => {
  const { all, givenUp } = readables('a', 'b', 'c', 'd');
  const [a, b, c, d] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0], (typeof all)[0]];
  const room = new ReadingRoom(30);
  for (const one of [a, b, c]) room.keep(one, 10);
  room.touch(a);
  room.keep(d, 15);
  expect(givenUp).toEqual(['b', 'c']);
  room.keep(b, 5);
  expect(givenUp).toEqual(['b', 'c']);
  room.leave(a);
  room.keep(c, 10);
  expect(givenUp).toEqual(['b', 'c']);
});

test('what is larger than the room is kept until something else is read', () => {
  const { all, givenUp } = readables('small', 'large', 'next');
  const [small, large, next] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];
  const room = new ReadingRoom(30);
  room.keep(small, 10);
  room.keep(large, 100);
  expect(givenUp).toEqual(['small']);
  // It grew, and is one.
  room.keep(large, 120);
  expect(givenUp).toEqual(['small']);
  room.keep(next, 10);
  expect(givenUp).toEqual(['small', 'large']);
});
