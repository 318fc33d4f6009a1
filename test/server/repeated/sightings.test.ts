import { expect, it } from 'vitest';
import { Sightings } from '../../../src/server/repeated/sightings.ts';

it('knows what it saw before', () => {
  const sightings = new Sightings();
  const all = Array.from(
    { length: 1000 },
    (_, number) => `/rs/bench/items/oai:repo.example.org:${number}/oai_dc.xml`,
  );
  const firstTime = all.filter((one) => sightings.note(one));
  // Another one may have the same number.
  expect(firstTime.length).toBeLessThan(10);
  expect(all.filter((one) => sightings.note(one)).length).toBeGreaterThan(800);
});

it('does not know what comes again after more others than the memory for answers holds', () => {
  const sightings = new Sightings();
  const all = Array.from({ length: 40_000 }, (_, number) => `/rs/bench/items/${number}/oai_dc.xml`);
  for (const one of all) sightings.note(one);
  expect(all.filter((one) => sightings.note(one)).length).toBeLessThan(1000);
});

it('forgets what it saw long ago', () => {
  const sightings = new Sightings();
  sightings.note('/first');
  for (let number = 0; number < 2_000_000; number += 1) sightings.note(`/${number}`);
  expect(sightings.note('/first')).toBe(false);
});
