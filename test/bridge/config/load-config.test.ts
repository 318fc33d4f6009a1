import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/bridge/config/load-config.ts';
import { originAt, originsBelow, originsOf } from '../../../src/bridge/config/origins.ts';
import { redactKnown } from '../../../src/core/secrets.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-config-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function load(yaml: string, env: Record<string, string> = {}, overrides: Record<string, unknown> = {}) {
  writeFileSync(join(directory, 'rsbridge.yaml'), yaml);
  return loadConfig({ overrides }, env, directory);
}

describe('loadConfig', () => {
  test('anchors paths at the file', () => {
    const config = load('sources: {}\n');
    expect(config.directory).toBe(join(directory, 'data'));
    expect(config.database).toEqual({ client: 'sqlite', file: join(directory, 'data', 'rsbridge.db') });
  });

  test('puts variables in after YAML has been read, whatever they hold', () => {
    const config = load('database: { client: pg, url: ${DATABASE_URL} }\ntitle: "at ${NAME}"\n', {
      DATABASE_URL: 'postgres://u:p#{}: x@db/x',
      NAME: 'Kyūshū',
    });
    expect(config.database).toMatchObject({ client: 'pg', url: 'postgres://u:p#{}: x@db/x' });
    expect(config.title).toBe('at Kyūshū');
    expect(() => load('title: ${MISSING}\n')).toThrow(/MISSING is used in the configuration and not set/);
  });

  test('reads secrets from files beside it', () => {
    writeFileSync(join(directory, 'url.txt'), 'postgres://secret@db/x\n');
    expect(load('database: { client: pg, urlFile: url.txt }\n').database).toMatchObject({
      url: 'postgres://secret@db/x',
    });
    const missing = () => load('database: { client: pg, urlFile: none.txt }\n');
    expect(missing).toThrow(
      /^database\.urlFile: there is no .+none\.txt; name a file that rsbridge can read$/,
    );
    expect(missing).toThrow(expect.objectContaining({ code: 'config-invalid' }));
  });

  test('replicas are one or several, and their passwords are kept secret', () => {
    const one = 'postgres://u:${FIRST}@a/x';
    const env = { FIRST: 'first-password', SECOND: 'second-password' };
    const yaml = (given: string) =>
      `database: { client: pg, url: "postgres://u@db/x", replicaUrl: ${given} }\n`;
    expect(load(yaml(`"${one}"`), env).database).toMatchObject({
      replicaUrl: 'postgres://u:first-password@a/x',
    });
    load(yaml(`["${one}", "postgres://u:${'$'}{SECOND}@b/x"]`), env);
    expect(redactKnown('first-password and second-password')).not.toMatch(/first-|second-/);
    const wrong = () => load(yaml('["", 5, "postgres://u:third-password@b/x"]'));
    expect(wrong).toThrow(/replicaUrl\.0: write the address of a replica/);
    expect(wrong).not.toThrow(/third-password/);
  });

  test('flag before environment before file before default', () => {
    const yaml = 'listen: { port: 1001 }\nbaseUrl: http://file.example.org\n';
    expect(load(yaml).listen.port).toBe(1001);
    const env = { RSBRIDGE_LISTEN__PORT: '1002', RSBRIDGE_BASE_URL: 'http://env.example.org' };
    expect(load(yaml, env)).toMatchObject({ listen: { port: 1002 }, baseUrl: 'http://env.example.org' });
    expect(load(yaml, env, { 'listen.port': 1003 }).listen.port).toBe(1003);
    expect(load(yaml, env, { 'listen.port': undefined }).listen.port).toBe(1002);
  });

  test('what is wrong with a variable of the environment is told with its name', () => {
    const told = (name: string, value: string) => () => load('', { [name]: value });
    expect(told('RSBRIDGE_LISTEN_PORT', '80')).toThrow(
      'RSBRIDGE_LISTEN_PORT: unknown (did you mean RSBRIDGE_LISTEN__PORT? Levels are joined by two underscores)',
    );
    expect(told('RSBRIDGE_DATABASE_URL', 'postgres://u:fourth-password@h/x')).toThrow(
      /^RSBRIDGE_DATABASE_URL: unknown \(did you mean RSBRIDGE_DATABASE__URL\?/,
    );
    expect(told('RSBRIDGE_LISTEN__PORT', 'many')).toThrow(/^RSBRIDGE_LISTEN__PORT sets listen\.port: /);
    expect(told('RSBRIDGE_TITEL', 'x')).toThrow(
      /^RSBRIDGE_TITEL sets titel: unknown key \(did you mean "title"/,
    );
  });

  test('says which file is missing, and which line is wrong', () => {
    expect(() => loadConfig({ config: 'elsewhere.yaml' }, {}, directory)).toThrow(
      expect.objectContaining({ code: 'config-missing', message: expect.stringContaining('elsewhere.yaml') }),
    );
    expect(() => load('sources:\n  a: [\n')).toThrow(
      expect.objectContaining({
        code: 'config-invalid',
        message: expect.stringMatching(/rsbridge\.yaml, line \d/),
      }),
    );
    expect(() => load('- a\n- b\n')).toThrow(/no settings/);
  });

  test('the example of the design is understood', () => {
    const config = load(`
baseUrl: https://repo.example.ac.jp/rs
contact: repository@example.ac.jp
database: { client: sqlite, file: data/rsbridge.db }
sources:
  kyushu:
    adapter: oai-pmh
    url: https://repo.example.ac.jp/oai
    formats: [jpcoar_2.0, oai_dc]
    files: { from: jpcoar_2.0, mode: proxy }
    sets: { theses: { collections: ["col_1_2"] } }
    schedule: "*/15 * * * *"
    fullPass: "0 3 * * 0"
`);
    expect(config.sources.kyushu?.formats).toEqual(['jpcoar_2.0', 'oai_dc']);
  });
});

describe('where a value comes from', () => {
  test('is told apart: file, included file, environment, flag, and what a file says instead of it', () => {
    writeFileSync(join(directory, 'more.yaml'), 'sources: { more: { url: "https://${HOST}/oai" } }\n');
    writeFileSync(join(directory, 'word.txt'), 'quite-secret\n');
    const config = load(
      'title: A\nlisten: { port: 1, host: 0.0.0.0 }\nadminPasswordFile: word.txt\ninclude: more.yaml\nsources: { own: { url: https://a.example/oai, files: { mode: link } } }\n',
      { RSBRIDGE_LISTEN__HOST: '127.0.0.1', HOST: 'b.example' },
      { 'listen.port': 2, role: undefined },
    );
    const file = join(directory, 'rsbridge.yaml');
    const origins = originsOf(config);
    expect(originAt(origins, 'title')).toEqual({ from: 'file', place: file });
    expect(originAt(origins, 'listen.port')).toEqual({ from: 'flag', place: '--port' });
    expect(originAt(origins, 'listen.host')).toEqual({
      from: 'environment',
      place: 'RSBRIDGE_LISTEN__HOST',
    });
    expect(originAt(origins, 'listen.processes')).toBeUndefined();
    expect(originAt(origins, 'adminPassword')).toEqual({
      ...{ from: 'file', place: file },
      through: join(directory, 'word.txt'),
    });
    expect(originAt(origins, 'sources.more.url')).toEqual({
      ...{ from: 'file', place: join(directory, 'more.yaml') },
      through: '${HOST}',
    });
    expect(originAt(originsBelow(origins, 'sources.own'), 'files')).toEqual({ from: 'file', place: file });
    expect(originAt(origins, 'role')).toBeUndefined();
  });

  test('credentials of the environment are of the environment', () => {
    const config = load('storage: { s3: { endpoint: https://s3.example, bucket: bucket } }\n', {
      AWS_ACCESS_KEY_ID: 'key-of-mine',
      AWS_SECRET_ACCESS_KEY: 'secret-of-mine',
    });
    expect(originAt(originsOf(config), 'storage.s3.accessKeyId')).toEqual({
      from: 'environment',
      place: 'AWS_ACCESS_KEY_ID',
    });
  });
});
