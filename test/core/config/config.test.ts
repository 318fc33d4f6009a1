import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';
import { nearestOf, suggest } from '../../../src/core/config/suggestion.ts';
import { faultsOf } from '../../house/core/config-faults.ts';

const source = { url: 'https://repo.example.org/oai' };

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

  test('a proxy has no port, and is no number', () => {
    for (const entry of ['10.0.0.1:80', '10.0.0.0/33']) {
      expect(faultsOf({ listen: { trustedProxies: ['::1', entry] } })).toBe(
        `listen.trustedProxies.1: "${entry}" is neither an address nor a range; write one such as 10.0.0.0/8`,
      );
    }
  });

  test('a source cannot take the name of one of our own addresses', () => {
    const faults = faultsOf({ sources: { memento: source } });
    expect(faults).toBe('sources.memento: the bridge has an address of its own of this name; choose another');
  });

  test('a source cannot be called like the path of baseUrl', () => {
    const faults = (baseUrl: string) => faultsOf({ baseUrl, sources: { rs: source } });
    const said = 'sources.rs: the path of baseUrl begins with this name; choose another';
    expect(faults('https://example.org/rs')).toBe(said);
    expect(faults('http://example.org/rs/more')).toBe(said);
    expect(
      parseConfig({ baseUrl: 'https://rs/rss', sources: { rs: source } }).sources,
      'a host or a longer name is another word',
    ).toHaveProperty('rs');
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
  // Two slips at least are forgiven; in a long word, one in three letters.
  ['oaa', ['oai'], 'oai'],
  ['yx', ['url', 'oai'], undefined],
  ['FORMATES', ['formats'], 'formats'],
  ['collektionnen', ['collections'], 'collections'],
  ['fomrats', ['from', 'formats'], 'formats'],
  // Of two that are as near, the first.
  ['bat', ['cat', 'hat'], 'cat'],
  ['abc', ['xyz'], undefined],
])('of %j among %j %j is meant', (word, known, meant) => {
  expect(nearestOf(word, known)).toBe(meant);
});

test.each([
  [{ sets: { metadata: { formats: ['a'] } } }, /sets\.metadata: every source has this set/],
  [{ sets: { theses: {} } }, /sets\.theses: say what is in it/],
  [{ sets: { Theses: { formats: ['a'] } } }, /sets\.Theses: a set's name is made of a-z, 0-9 and -/],
  [{ sets: { theses: { collection: ['a'] } } }, /unknown key \(did you mean "collections"\?\)/],
  [{ sets: { all: { formats: ['a'] } } }, /sets\.all: every source has this set/],
  [{ dumps: ['theses'] }, /dumps: there is no set "theses"; known are all, metadata/],
  [{ dumps: ['thesis'], sets: { theses: { formats: ['a'] } } }, /dumps: .* \(did you mean "theses"\?\)/],
  [{ mirrors: [{ uri: 'https://a.example' }] }, /mirrors\.0\.uri: unknown key \(did you mean "url"\?\)/],
])('a source with %j is refused with what to do instead', (settings, message) => {
  const sources = { repo: { url: 'https://repo.example.org/oai', ...settings } };
  expect(() => parseConfig({ sources })).toThrow(message);
});

describe('a DSpace', () => {
  const dspace = { adapter: 'dspace', url: 'https://repo.example.org/server/api' };
  const repo = (settings: object) => ({ sources: { repo: { ...dspace, ...settings } } });

  test('takes what is written for it', () => {
    const { repo: read } = parseConfig(
      repo({
        formats: ['dim', { name: 'mods', from: 'oai' }],
        headers: { 'X-Team': 'library' },
        timeZone: 'Asia/Tokyo',
        entityTypes: ['Publication'],
      }),
    ).sources;
    expect(read).toMatchObject({ requestsPerHost: 2, timeZone: 'Asia/Tokyo' });
  });

  test.each(['Authorization', 'cookie', 'Proxy-Authorization', 'rest-dspace-token'])(
    'is read without an account: %s is refused',
    (header) => {
      const faults = faultsOf(repo({ headers: { 'X-Team': 'library', [header]: '${SECRET}' } }));
      expect(faults).toBe(
        `sources.repo.headers.${header}: a DSpace is read without an account, so that only what is public is published; remove this header (for hidden version histories use \`login\`)`,
      );
    },
  );

  test('has each format from one place', () => {
    const fromBoth = ['dim', 'mods', { name: 'dim', from: 'oai' }];
    for (const adapter of ['dspace', 'dspace-legacy'])
      expect(faultsOf(repo({ adapter, formats: fromBoth }))).toBe(
        'sources.repo.formats: dim is there twice; write it once',
      );
  });

  test('has a time zone that there is', () => {
    expect(faultsOf(repo({ timeZone: 'Europe/Atlantis' }))).toBe(
      'sources.repo.timeZone: there is no time zone "Europe/Atlantis"; write it as Asia/Tokyo, Europe/Berlin or UTC (did you mean "Europe/Athens"?)',
    );
  });
});

test.each([
  [{ login: { user: 'a', password: '${P}' } }, 'login'],
  [{ oai: 'https://repo.example.org/oai' }, 'oai'],
  [{ entityTypes: ['Publication'] }, 'entityTypes'],
  // One sentence is enough to see what is wrong.
  [{ oai: 'https://repo.example.org/oai', entityTypes: ['Publication'] }, 'oai'],
])('an OAI-PMH source with %j is no DSpace', (settings, key) => {
  expect(faultsOf({ sources: { repo: { ...source, ...settings } } })).toBe(
    `sources.repo.${key}: only the adapters dspace and dspace-legacy have this setting, and the adapter here is oai-pmh; remove it`,
  );
});

test.each([
  [{ from: 'oai' }],
  [{ from: 'oai', names: ['oai_dc'] }],
  [['oai_dc', { name: 'jpcoar', from: 'oai' }]],
])('an OAI-PMH source has all its formats from OAI-PMH: %j says more than is needed', (formats) => {
  expect(faultsOf({ sources: { repo: { ...source, formats } } })).toBe(
    'sources.repo.formats: all formats come from OAI-PMH here; write their names alone, as [oai_dc, jpcoar]',
  );
});

test('an OAI-PMH source without anything of a DSpace has no fault', () => {
  expect(
    parseConfig({ sources: { repo: { ...source, formats: ['oai_dc', 'jpcoar'] } } }).sources,
  ).toHaveProperty('repo.formats', ['oai_dc', 'jpcoar']);
});

test.each([
  [{ dumps: [{ theses: true }] }, 'dumps.0'],
  [{ sets: 'theses' }, 'sets'],
  [{ sets: { theses: 'x' } }, 'sets.theses'],
  [{ headers: 'X-Team' }, 'headers'],
  [{ formats: [{ from: 'oai' }] }, 'formats.0'],
])('what is of the wrong kind altogether is one fault: %j', (settings, place) => {
  const faults = faultsOf({ sources: { repo: { ...source, adapter: 'dspace', ...settings } } });
  expect(faults.split('\n')).toEqual([expect.stringContaining(`sources.repo.${place}`)]);
});

test.each([
  [{ network: 'x' }, 'network'],
  [{ listen: 'x' }, 'listen'],
  [{ sources: 'x' }, 'sources'],
  [{ sources: { repo: 'x' } }, 'sources.repo'],
  [{ network: { allow: [{}] } }, 'network.allow.0'],
  ['x', 'configuration'],
])('%j is one fault, of %s', (raw, place) => {
  expect(faultsOf(raw).split('\n')).toEqual([expect.stringMatching(`^${place}: write `)]);
});

test('a single value is taken for a list of one', () => {
  const { sources, listen } = parseConfig({
    listen: { trustedProxies: '10.0.0.0/8' },
    sources: { repo: { ...source, formats: 'oai_dc', dumps: 'all' } },
  });
  expect(listen.trustedProxies).toEqual(['10.0.0.0/8']);
  expect(sources.repo).toMatchObject({ formats: ['oai_dc'], dumps: ['all'] });
});

describe('timeZone', () => {
  test('is that of schedules, and of pages that have none of their own', () => {
    expect(parseConfig({}).timeZone).toBe('UTC');
    expect(parseConfig({}).pages.timeZone).toBe('UTC');
    const config = parseConfig({ timeZone: 'Asia/Tokyo', pages: { language: 'ja' } });
    expect(config.timeZone).toBe('Asia/Tokyo');
    expect(config.pages).toEqual({ language: 'ja', timeZone: 'Asia/Tokyo' });
    expect(parseConfig({ timeZone: 'Asia/Tokyo', pages: { timeZone: 'UTC' } }).pages.timeZone).toBe('UTC');
  });

  test('is one that there is', () => {
    const advice = 'write it as Asia/Tokyo, Europe/Berlin or UTC';
    expect(faultsOf({ timeZone: 'Asia/Tokio' })).toBe(
      `timeZone: there is no time zone "Asia/Tokio"; ${advice} (did you mean "Asia/Tokyo"?)`,
    );
    expect(faultsOf({ timeZone: '+09:00' })).toBe(`timeZone: there is no time zone "+09:00"; ${advice}`);
    expect(faultsOf({ pages: { timeZone: 'Nowhere' } })).toContain('pages.timeZone: there is no time zone');
    expect(faultsOf({ timeZone: 9 })).toContain('timeZone: ');
  });
});

test('metrics have to be somewhere', () => {
  const port = { port: 9090 };
  expect(parseConfig({ listen: { metrics: false }, admin: { listen: port } }).listen.metrics).toBe(false);
  const fault = 'listen.metrics: there is no other port for /metrics; write admin.listen with a port';
  expect(faultsOf({ listen: { metrics: false } })).toContain(fault);
  expect(faultsOf({ listen: { metrics: false }, admin: { enabled: false, listen: port } })).toContain(fault);
});
