import { expect, test } from 'vitest';
import {
  isDspace,
  oaiFormats,
  ownFormats,
  publishedFormats,
} from '../../../src/core/config/published-formats.ts';

type Source = Parameters<typeof publishedFormats>[0];

/** What the source's own adapter delivers, what its OAI-PMH endpoint adds, and all that is published. */
function told(source: Source) {
  return { own: ownFormats(source), more: oaiFormats(source), published: publishedFormats(source) };
}

test('a DSpace is one through either of its interfaces', () => {
  expect(isDspace({ adapter: 'dspace' })).toBe(true);
  expect(isDspace({ adapter: 'dspace-legacy' })).toBe(true);
  expect(isDspace({ adapter: 'oai-pmh' })).toBe(false);
});

test('an OAI-PMH endpoint publishes the formats that are written, else what it has, and is asked alone', () => {
  const written = ['oai_dc', 'jpcoar'];
  expect(told({ adapter: 'oai-pmh', formats: written })).toEqual({
    own: written,
    more: undefined,
    published: written,
  });
  expect(told({ adapter: 'oai-pmh' })).toEqual({ own: undefined, more: undefined, published: undefined });
});

const usual = ['oai_dc', 'dim', 'qdc', 'json'];

test.each<[Source['formats'], ReturnType<typeof told>]>([
  [undefined, { own: usual, more: undefined, published: usual }],
  [['dim', 'json'], { own: ['dim', 'json'], more: undefined, published: ['dim', 'json'] }],
  // What the repository itself has of an item is its anchor; which formats OAI-PMH adds is for the endpoint to say.
  [{ from: 'oai' }, { own: ['json'], more: 'known', published: undefined }],
  [
    { from: 'oai', names: ['mods', 'json'] },
    { own: ['json'], more: ['mods', 'json'], published: ['json', 'mods'] },
  ],
  [[{ name: 'mods', from: 'oai' }], { own: ['json'], more: ['mods'], published: ['json', 'mods'] }],
  [['dim', { name: 'mods', from: 'oai' }], { own: ['dim'], more: ['mods'], published: ['dim', 'mods'] }],
])('a DSpace with the formats %j', (formats, expected) => {
  for (const adapter of ['dspace', 'dspace-legacy'] as const)
    expect(told(formats === undefined ? { adapter } : { adapter, formats })).toEqual(expected);
});
