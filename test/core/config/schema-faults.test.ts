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
    { url: 'https://a.example/', files: { recheckDays: -1 } },
    'recheckDays: write a whole number from 1 up, not -1',
  ],
  [
    { url: 'https://a.example/', files: 'mirror' },
    'sources.repo.files: write settings such as { from: …, mode: …',
  ],
  [{ url: 'https://a.example/', patches: 'maybe' }, 'sources.repo.patches: write true or false, not "maybe"'],
])('a source %j is told what to write instead', (source, sentence) => {
  expect(() => parseConfig({ sources: { repo: source } })).toThrow(sentence);
});

test.each([[['https://a.example/oai']], [[{ url: 'https://a.example/oai' }]], [[]], [null], ['repo']])(
  'sources that have no names (%j) are told to have them',
  (sources) => {
    const sentence =
      'sources: write each source below a name, such as { repo: { url: https://repo.example.org/oai } }, not ';
    expect(() => parseConfig({ sources })).toThrow(sentence);
  },
);

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

test.each([
  { schema: Type.Integer({ minimum: 1 }), said: 'write a whole number from 1 up, not "x"' },
  { schema: Type.Integer(), said: 'write a whole number, not "x"' },
  { schema: Type.Integer({ maximum: 9 }), said: 'write a whole number, 9 at most, not "x"' },
  { schema: Type.Number({ minimum: 0, maximum: 9 }), said: 'write a number from 0 to 9, not "x"' },
  { schema: Type.Number({ exclusiveMinimum: 0 }), said: 'write a number above 0, not "x"' },
  {
    schema: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
    said: 'write a number above 0, 1 at most, not "x"',
  },
  { schema: Type.Boolean(), said: 'write true or false, not "x"' },
  { schema: Type.Array(Type.Boolean()), said: 'write a list: [true or false, …], not "x"' },
  {
    schema: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    said: 'write a list of at least one: [a text that is not empty, …], not "x"',
  },
  { schema: Type.Object({}), said: 'write settings: { NAME: …, … }, not "x"' },
  { schema: Type.Object({ days: Type.Integer() }), said: 'write { days: … }, not "x"' },
  {
    schema: Type.Object({ a: Type.Null(), b: Type.Null(), c: Type.Null(), d: Type.Null() }),
    said: 'write settings such as { a: …, b: …, c: … }, not "x"',
  },
])('what can be written instead: $said', ({ schema, said }) => {
  expect([...schemaFaults(schema, 'x', 'at')]).toEqual([`at: ${said}`]);
  expect([...schemaFaults(schema, 'x')]).toEqual([`configuration: ${said}`]);
});

test('a long value is not told to its end, and an address not at all', () => {
  const schema = Type.Integer();
  expect([...schemaFaults(schema, 'y'.repeat(200), 'at')]).toEqual([
    `at: write a whole number, not "${'y'.repeat(56)}…`,
  ]);
  expect([...schemaFaults(schema, 'y'.repeat(58), 'at')]).toEqual([
    `at: write a whole number, not "${'y'.repeat(58)}"`,
  ]);
  expect([...schemaFaults(schema, 'https://user:secret@a.example/', 'at')]).toEqual([
    'at: write a whole number, not the given address',
  ]);
});

test('only what is needed is missing', () => {
  const schema = Type.Object({ needed: Type.String(), other: Type.Optional(Type.String()) });
  expect([...schemaFaults(schema, {}, 'at')]).toEqual(['at.needed: missing; write a text']);
  expect([...schemaFaults(schema, { needed: undefined, other: undefined })]).toEqual([
    'needed: missing; write a text',
  ]);
});
