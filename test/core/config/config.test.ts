import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';
import { suggest } from '../../../src/core/config/suggestion.ts';

const source = { url: 'https://repo.example.org/oai' };

function faultsOf(raw: unknown): string {
  try {
    parseConfig(raw);
  } catch (error) {
    expect(error).toMatchObject({ code: 'config-invalid' });
    return (error as Error).message;
  }
  throw new Error('no fault was found');
}

describe('parseConfig', () => {
  test('needs nothing but a source', () => {
    const config = parseConfig({ sources: { repo: source } });
    expect(config.database).toEqual({ client: 'sqlite', file: 'data/rsbridge.db' });
    expect(config.sources.repo).toMatchObject({
      adapter: 'oai-pmh',
      overlapSeconds: 300,
      requestsPerHost: 1,
    });
    expect(config.sources.repo?.deletionFuse).toEqual({ share: 0.1, atLeast: 20 });
  });

  test('names what may be chosen, also where it is not a word', () => {
    const faults = faultsOf({ sources: { repo: { ...source, mementos: { keep: 'none' } } } });
    expect(faults).toBe('sources.repo.mementos.keep: write all, { last: … } or { days: … }, not "none"');
  });

  test('fills in the defaults of the chosen database alone', () => {
    expect(parseConfig({ database: { client: 'pg', url: 'postgres://localhost/x' } }).database).toEqual({
      client: 'pg',
      url: 'postgres://localhost/x',
      poolSize: 10,
    });
    expect(parseConfig({ database: { client: 'sqlite' } }).database).toMatchObject({
      file: 'data/rsbridge.db',
    });
    expect(faultsOf({ database: { client: 'mysql' } })).toContain('database');
  });

  test('takes a base URL with a path, and no slash at its end', () => {
    expect(parseConfig({ baseUrl: 'https://repo.example.ac.jp/rs/' }).baseUrl).toBe(
      'https://repo.example.ac.jp/rs',
    );
    expect(faultsOf({ baseUrl: 'repo.example.org' })).toContain('baseUrl');
    expect(faultsOf({ baseUrl: 'https://repo.example.org/?a=b' })).toContain('baseUrl');
  });

  test('an unknown key is an error with a suggestion', () => {
    expect(faultsOf({ sources: { repo: { ...source, shedule: '* * * * *' } } })).toBe(
      'sources.repo.shedule: unknown key (did you mean "schedule"?)',
    );
    expect(faultsOf({ baseURL: 'https://example.org' })).toContain('did you mean "baseUrl"?');
    expect(faultsOf({ database: { client: 'pg', uri: 'postgres://x' } })).toContain('did you mean "url"?');
    expect(faultsOf({ xyzzy: 1 })).toContain('known are baseUrl');
  });

  test('where one of some words is wanted, they are named, and the nearest one again', () => {
    const mode = (word: unknown) => faultsOf({ sources: { repo: { ...source, files: { mode: word } } } });
    const expected = 'sources.repo.files.mode: write proxy, link, mirror or none';
    expect(mode('mirrr')).toBe(`${expected}, not "mirrr" (did you mean "mirror"?)`);
    expect(mode('somewhere')).toBe(`${expected}, not "somewhere"`);
    expect(mode(3)).toBe(`${expected}, not 3`);
    expect(faultsOf({ logLevel: 'Warm' })).toContain('did you mean "warn"?');
  });

  test('names every fault, and where it is', () => {
    const faults = faultsOf({
      listen: { port: 70_000 },
      sources: { repo: { url: 'ftp://x' }, 'Repo!': source },
    });
    expect(faults).toContain('listen.port');
    expect(faults).toContain('sources.repo.url');
    expect(faults).toContain('sources.Repo!');
  });

  test('a proxy that is trusted is an address or a range', () => {
    expect(faultsOf({ listen: { trustedProxies: ['proxy.example.org'] } })).toContain(
      'listen.trustedProxies.0: "proxy.example.org" is neither an address nor a range',
    );
    expect(parseConfig({ listen: { trustedProxies: ['10.0.0.0/8', '::1'] } }).listen.minBytesPerSecond).toBe(
      2048,
    );
  });

  test('a source cannot take the name of one of our own addresses', () => {
    expect(faultsOf({ sources: { memento: source } })).toContain('choose another');
  });

  test('a source cannot be called like the path of baseUrl', () => {
    expect(faultsOf({ baseUrl: 'https://example.org/rs', sources: { rs: source } })).toContain('baseUrl');
  });

  test('does not repeat addresses, which may hold credentials', () => {
    expect(faultsOf({ sources: { repo: { url: 'ftp://user:secret@example.org/' } } })).not.toContain(
      'secret',
    );
  });
});

test('suggest stays silent about words that resemble nothing', () => {
  expect(suggest('qqqqqq', ['schedule', 'formats'])).toBe('; known are schedule, formats');
});

test.each([
  [{ sets: { metadata: { formats: ['a'] } } }, /sets\.metadata: every source has this set/],
  [{ sets: { theses: {} } }, /sets\.theses: say what is in it/],
  [{ sets: { Theses: { formats: ['a'] } } }, /sets\.Theses: a set's name is made of a-z, 0-9 and -/],
  [{ sets: { theses: { collection: ['a'] } } }, /unknown key \(did you mean "collections"\?\)/],
  [{ dumps: ['theses'] }, /dumps: there is no set "theses"/],
  [{ mirrors: [{ uri: 'https://a.example' }] }, /mirrors\.0\.uri: unknown key \(did you mean "url"\?\)/],
])('a source with %j is refused with what to do instead', (settings, message) => {
  const sources = { repo: { url: 'https://repo.example.org/oai', ...settings } };
  expect(() => parseConfig({ sources })).toThrow(message);
});
