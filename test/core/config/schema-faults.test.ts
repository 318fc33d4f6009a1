import { type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { describe, expect, test } from 'vitest';
import { configSchema, parseConfig } from '../../../src/core/config/config.ts';
import { schemaFaults } from '../../../src/core/config/schema-faults.ts';

/** What a schema would say of itself, and what no person should have to read. */
const jargon =
  /expected|\bunion\b|\bmatch|\^|\$\)|\bpattern\b|\bliteral\b|\bproperty\b|\bobject\b|\barray\b|\bstring\b|\bboolean\b|\binteger\b|undefined|\[object/i;

/** Values of every kind, some of which are wrong anywhere. */
const values = [null, '', 'x y', 'ftp//?#', -1, 0.5, 1e12, true, false, [], [''], [7, 7], [[]], {}, { x: 1 }];

/** Each field of a schema with the path to it; of alternatives, those of each. */
function* fieldsOf(
  schema: TSchema,
  path: readonly string[],
): Generator<readonly [readonly string[], TSchema]> {
  if (path.length > 0) yield [path, schema];
  for (const [key, child] of Object.entries((schema.properties ?? {}) as Record<string, TSchema>))
    yield* fieldsOf(child, [...path, key]);
  for (const child of Object.values((schema.patternProperties ?? {}) as Record<string, TSchema>))
    yield* fieldsOf(child, [...path, 'name']);
  if (schema.items) yield* fieldsOf(schema.items as TSchema, [...path, '0']);
  for (const option of (schema.anyOf ?? []) as TSchema[]) {
    for (const [key, child] of Object.entries((option.properties ?? {}) as Record<string, TSchema>))
      yield* fieldsOf(child, [...path, key]);
  }
}

const fields = [...fieldsOf(configSchema, [])];

describe('whatever is written into a field', () => {
  test.each(fields.map(([path, schema]) => [path.join('.'), schema] as const))('%s', (path, schema) => {
    const wrong = values.filter((value) => !Value.Check(schema, value));
    const faults = wrong.map((value) => [...schemaFaults(schema, value, path)]);
    // The place is told first, then what to write there.
    for (const [position, sentences] of faults.entries()) {
      expect(sentences, JSON.stringify(wrong[position])).not.toEqual([]);
      for (const sentence of sentences) {
        expect(sentence).toMatch(
          /^[\w.]+: (?:write |missing; write |unknown key|.+ is there twice; write it once)/,
        );
        expect(sentence.replaceAll(path, '')).not.toMatch(jargon);
      }
    }
    expect(schema.const !== undefined || wrong.length > 0).toBe(true);
  });

  test('there are as many as docs/configuration.md has, and more', () => {
    expect(fields.length).toBeGreaterThan(80);
  });
});

test.each([
  [
    { url: 'repo.example.org' },
    'sources.repo.url: write the web address of the endpoint, http:// or https://',
  ],
  [{}, 'sources.repo.url: missing; write the web address of the endpoint'],
  [{ url: 'https://a.example/', identity: 'doi' }, 'sources.repo.identity: write oai, oai:HOST'],
  [
    { url: 'https://a.example/', requestsPerHost: 64 },
    'requestsPerHost: write a whole number from 1 to 32, not 64',
  ],
  [{ url: 'https://a.example/', formats: ['a', 'a'] }, '"a" is there twice; write it once'],
  [
    { url: 'https://a.example/', mementos: { keep: { last: 0 } } },
    'keep.last: write a whole number from 1 up, not 0',
  ],
  [
    { url: 'https://a.example/', files: { recheckDays: 'never' } },
    'recheckDays: write a whole number from 1 up or false',
  ],
  [
    { url: 'https://a.example/', files: 'mirror' },
    'sources.repo.files: write settings such as { from: …, mode: …',
  ],
  [{ url: 'https://a.example/', patches: 'maybe' }, 'sources.repo.patches: write true or false, not "maybe"'],
])('a source %j is told what to write instead', (source, sentence) => {
  expect(() => parseConfig({ sources: { repo: source } })).toThrow(sentence);
});

test('what may be secret is not repeated', () => {
  const source = {
    url: 'https://a.example/',
    headers: { 'X-Key': 'sécret' },
    login: { user: 'a', password: '' },
  };
  const read = () => parseConfig({ sources: { repo: source }, database: { client: 'pg', url: '' } });
  expect(read).toThrow('sources.repo.headers.X-Key: write one line of ASCII characters');
  expect(read).toThrow('sources.repo.login.password: write ${VARIABLE}');
  expect(read).not.toThrow('sécret');
});

test('words of its own go before those that a schema is made of', () => {
  const schema = Type.Object({ at: Type.String({ pattern: '^\\d+$', write: 'the number of the run' }) });
  expect([...schemaFaults(schema, { at: 'x' })]).toEqual(['at: write the number of the run, not "x"']);
});
