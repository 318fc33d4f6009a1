import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/bridge/config/load-config.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-include-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

function load(env: Record<string, string> = {}) {
  return loadConfig({}, env, directory);
}

const source = (name: string, more = '') =>
  `sources: { ${name}: { url: https://${name}.example.org/oai${more} } }\n`;

describe('include', () => {
  test('sources and groups of other files are as if they stood in the first', () => {
    write({
      'rsbridge.yaml': `include: sources/*.yaml\n${source('here')}`,
      'sources/b.yaml': source('b', ', group: jairo'),
      'sources/a.yaml': `groups: { jairo: { formats: [jpcoar_2.0] } }\n${source('a')}`,
      'sources/.hidden.yaml': source('hidden'),
      'sources/notes.txt': 'no configuration',
    });
    const { sources } = load();
    expect(Object.keys(sources)).toEqual(['here', 'a', 'b']);
    expect(sources.b?.formats).toEqual(['jpcoar_2.0']);
  });

  test('a list of paths, each file once, the first not of itself', () => {
    write({
      'rsbridge.yaml': 'include: ["*.yaml", more.yaml, "regions/*/repos.yaml", none/*.yaml]\n',
      'more.yaml': source('more'),
      'regions/west/repos.yaml': source('west'),
      'regions/east/other.yaml': source('east'),
    });
    expect(Object.keys(load().sources)).toEqual(['more', 'west']);
  });

  test('variables and files of secrets are found from where they are named, and overridden from the environment', () => {
    write({
      'rsbridge.yaml': 'include: sources/a.yaml\n',
      'sources/a.yaml':
        'sources: { a: { url: "https://${HOST}/oai", headers: { Authorization: "Bearer ${TOKEN}" }, titleFile: a.txt } }\n',
      'sources/a.txt': 'The first\n',
    });
    const env = { HOST: 'a.example.org', TOKEN: 'abcdefgh', RSBRIDGE_SOURCES__A__SCHEDULE: 'false' };
    expect(load(env).sources.a).toMatchObject({
      url: 'https://a.example.org/oai',
      headers: { Authorization: 'Bearer abcdefgh' },
      title: 'The first',
      schedule: false,
    });
  });

  test.each([
    [
      { 'rsbridge.yaml': 'include: none.yaml\n' },
      /^include: there is no .+none\.yaml; correct the path, or remove it$/,
    ],
    [
      { 'rsbridge.yaml': `include: a.yaml\n${source('x')}`, 'a.yaml': source('x') },
      /^sources\.x is in .+rsbridge\.yaml and in .+a\.yaml; remove one$/,
    ],
    [
      { 'rsbridge.yaml': 'include: [a.yaml, b.yaml]\n', 'a.yaml': source('x'), 'b.yaml': source('x') },
      /^sources\.x is in .+a\.yaml and in .+b\.yaml; remove one$/,
    ],
    [
      { 'rsbridge.yaml': 'include: a.yaml\n', 'a.yaml': 'baseUrl: https://a.example.org\n' },
      /a\.yaml: baseUrl cannot be set here, .+ write only sources and groups here, and baseUrl there$/,
    ],
    [
      { 'rsbridge.yaml': 'include: a.yaml\n', 'a.yaml': 'sources: [a]\n' },
      /a\.yaml: sources has no names; write NAME: \{ … \} below it$/,
    ],
    [{ 'rsbridge.yaml': 'include: a.yaml\n', 'a.yaml': 'sources: {\n' }, /a\.yaml, line \d: /],
    [{ 'rsbridge.yaml': 'include: { a: 1 }\n' }, /^include: write the path of a file, or of several with \*/],
  ])('what is wrong is told with its place: %j', (files, message) => {
    write(files as Record<string, string>);
    expect(() => load()).toThrow(expect.objectContaining({ code: 'config-invalid' }));
    expect(() => load()).toThrow(message);
  });
});
