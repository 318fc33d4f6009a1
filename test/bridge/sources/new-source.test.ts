import { expect, test } from 'vitest';
import { freeName, refuseTaken } from '../../../src/bridge/sources/new-source.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { pageNames, reservedNames } from '../../../src/core/uris.ts';

const url = 'https://repo.example.org/oai';

test.each([...pageNames])(
  'no new source is called %s, as a page is, and none of this name is private',
  (name) => {
    const refuse = (config: object) => () => refuseTaken({ config: parseConfig(config) }, name);
    expect(refuse({})).toThrow(`the bridge has a page of its own called ${name}`);
    expect(freeName(name, new Set())).toBe(`${name}-2`);
    expect(() => parseConfig({ sources: { [name]: { url, access: {} } } })).toThrow(`at /${name}`);
    // One that was there before there was the page stays.
    expect(Object.keys(parseConfig({ sources: { [name]: { url } } }).sources)).toEqual([name]);
  },
);

test.each([...reservedNames])('no source at all is called %s', (name) => {
  expect(() => parseConfig({ sources: { [name]: { url } } })).toThrow(
    'has an address of its own of this name',
  );
  expect(freeName(name, new Set([`${name}-2`]))).toBe(`${name}-3`);
});

test('a name is free that nobody has', () => {
  expect(freeName('kyushu', new Set())).toBe('kyushu');
  expect(freeName('kyushu', new Set(['kyushu', 'kyushu-2']))).toBe('kyushu-3');
  expect(() => refuseTaken({ config: parseConfig({ sources: { kyushu: { url } } }) }, 'kyushu')).toThrow(
    'already',
  );
});
