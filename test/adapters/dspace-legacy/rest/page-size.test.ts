import { expect, test } from 'vitest';
import { PageSize } from '../../../../adapters/dspace-legacy/rest/page-size.ts';
import { createContext } from '../../../house/adapters/http-double.ts';

function times(count: number, act: () => void): void {
  for (let n = 0; n < count; n += 1) act();
}

test('pages that take too long get smaller, and are tried larger again, each time later', () => {
  const { lessons } = createContext();
  const size = new PageSize(lessons);
  expect(size.value).toBe(100);
  size.failed(true);
  expect([size.value, lessons.get('page-size')]).toEqual([50, '50']);
  times(20, () => size.succeeded());
  expect(size.value).toBe(100);
  size.failed(true);
  times(20, () => size.succeeded());
  expect(size.value).toBe(50);
  times(20, () => size.succeeded());
  expect(size.value).toBe(100);
  size.succeeded();
  expect(lessons.get('page-size')).toBeUndefined();
});

test('pages with something broken in them grow again at once', () => {
  const { lessons } = createContext();
  const size = new PageSize(lessons);
  times(10, () => size.failed(false));
  expect(size.value).toBe(1);
  times(7, () => size.succeeded());
  expect([size.value, lessons.get('page-size')]).toEqual([100, undefined]);
});

test('what was learnt is taken up, one step above', () => {
  const { lessons } = createContext();
  lessons.learn('page-size', '12', 'slow');
  expect(new PageSize(lessons).value).toBe(24);
});
