import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generationOf, recognise } from '../../../src/bridge/finding/endpoint-answer.ts';
import { isOaiOfDspace, oaiBeside, oaiPlaces, readPasted } from '../../../src/bridge/finding/usual-places.ts';
import { sharedMaterial } from '../../house/adapters/shared-material.ts';

const host = 'https://repo.example.org';
const uuid = '2f53a7a1-6c15-4b2c-9a8c-1f0a1cbb6a11';

describe('a pasted address', () => {
  test.each([
    ['/oai', 'oai-pmh', '/oai', ['']],
    ['/cgi/oai2?verb=Identify', 'oai-pmh', '/cgi/oai2', ['']],
    ['/index.php/index/oai', 'oai-pmh', '/index.php/index/oai', ['/index.php/index', '']],
    ['/server/oai/request?verb=ListRecords&resumptionToken=x', 'oai-pmh', '/server/oai/request', ['']],
    ['/x.php?verb=Identify&archive=3', 'oai-pmh', '/x.php?archive=3', ['/x.php', '']],
    ['/server', 'dspace', '/server/api', ['']],
    ['/server/api/discover/search/objects?query=x', 'dspace', '/server/api', ['']],
    ['/api', 'dspace', '/api', ['']],
    ['/dspace/server/api/', 'dspace', '/dspace/server/api', ['/dspace', '']],
    ['/rest/items/12', 'dspace-legacy', '/rest', ['']],
    ['/xmlui/handle/1/2?show=full', 'page', '/xmlui/handle/1/2', ['']],
    [`/repo/items/${uuid}`, 'page', `/repo/items/${uuid}`, ['/repo', '']],
    ['/handle/123456789/1', 'page', '/handle/123456789/1', ['']],
    ['/', 'page', '/', ['']],
  ])('%s is read as %s', (path, kind, url, roots) => {
    expect(readPasted(new URL(host + path))).toMatchObject({
      kind,
      url: host + url,
      roots: roots.map((root) => host + root),
    });
  });

  test.each([
    ['/server/oai', ['/server/oai/request']],
    ['/server/oai/', ['/server/oai', '/server/oai/request']],
    ['/server/oai/openaire', ['/server/oai/request', '/server/oai']],
    ['/oai/request/', ['/oai/request', '/oai']],
    ['/dspace-oai/?verb=Identify', ['/dspace-oai', '/dspace-oai/request']],
    ['/oai/request', ['/oai']],
    ['/cgi/oai2/', ['/cgi/oai2', '/cgi/oai2/request']],
    ['/server', []],
  ])('%s is near %j', (path, near) => {
    expect(readPasted(new URL(host + path)).near).toEqual(near.map((one) => host + one));
  });

  test('tells which generation has such pages', () => {
    const generation = (path: string) => readPasted(new URL(host + path)).generation;
    expect(generation(`/entities/person/${uuid}`)).toBe('dspace');
    expect(generation('/jspui/simple-search?query=x')).toBe('dspace-legacy');
    expect(generation('/handle/1/2')).toBeUndefined();
  });
});

test('an OAI-PMH endpoint of DSpace is known by its contexts, and is looked for beside the API', () => {
  expect(isOaiOfDspace(`${host}/server/oai/request`)).toBe(true);
  expect(isOaiOfDspace(`${host}/oai/openaire4`)).toBe(true);
  expect(isOaiOfDspace(`${host}/oai`)).toBe(false);
  expect(oaiBeside(`${host}/server/api`)).toEqual([`${host}/server/oai/request`, `${host}/oai/request`]);
  expect(oaiBeside(`${host}/rest`)).toEqual([`${host}/oai/request`]);
  expect(oaiPlaces([host], 'EPrints 3.4')[0]).toBe(`${host}/cgi/oai2`);
  expect(new Set(oaiPlaces([`${host}/a`, host], undefined)).size).toBeLessThanOrEqual(17);
});

describe('an answer', () => {
  const json = (value: unknown) => recognise(200, 'application/json', JSON.stringify(value));

  test('of any JSON that is not DSpace is nothing', () => {
    for (const value of [
      {},
      { type: 'root' },
      { dspaceVersion: 7, dspaceServer: {} },
      { rest: { host: 'a b' } },
      { rest: { host: 'a', nameSpace: '//evil@x' } },
      { rest: { host: 'a', port: 'x/' } },
      { rest: [] },
      { okay: 'true', authenticated: true },
    ]) {
      expect(json(value), JSON.stringify(value)).toMatchObject({ kind: 'none' });
    }
    expect(recognise(200, 'application/json', '{"dspaceVersion":')).toMatchObject({ kind: 'none' });
  });

  test('of a user interface says where its REST API is', () => {
    expect(json({ rest: { ssl: true, host: 'api.example.org', port: 443, nameSpace: '/server' } })).toEqual({
      kind: 'ui-settings',
      rest: 'https://api.example.org/server/api',
    });
    expect(json({ rest: { ssl: false, host: 'localhost', port: 8080, nameSpace: '/' } })).toEqual({
      kind: 'ui-settings',
      rest: 'http://localhost:8080/api',
    });
  });

  test('with an error status is none, whatever it holds, unless it is OAI-PMH', () => {
    const root = JSON.stringify({ type: 'root', dspaceVersion: 'DSpace 8.2' });
    expect(recognise(500, 'application/json', root)).toMatchObject({ kind: 'none', what: 'HTTP status 500' });
    expect(recognise(404, 'text/xml', '<?xml version="1.0"?>\n<!-- x --><OAI-PMH xmlns="x">')).toMatchObject({
      kind: 'oai-pmh',
    });
  });

  test('names its software, in any order of attributes', () => {
    const software = (html: string) => {
      const answer = recognise(200, 'text/html', `<!DOCTYPE html><head>${html}</head>`);
      return answer.kind === 'none' ? answer.software : undefined;
    };
    expect(software('<meta name="Generator" content="DSpace 7.6.1">')).toBe('DSpace 7.6.1');
    expect(software("<meta content='Open Journal Systems 3.3.0.14' name='generator'/>")).toBe(
      'Open Journal Systems 3.3.0.14',
    );
    expect(software('<ds-app></ds-app>')).toBe('DSpace 7 or later');
    expect(software('<meta name="viewport" content="x">')).toBeUndefined();
    expect(
      ['DSpace 6.3', 'DSpace cris-2023.02.07', 'DSpace 7 or later', 'EPrints 3'].map(generationOf),
    ).toEqual(['dspace-legacy', 'dspace', 'dspace', undefined]);
  });

  test.each(['<meta ', '<?', '<!--', '{"a":'])('that is a million of %s is read to its end', (piece) => {
    // What is looked through once for each piece would take longer than any test may.
    expect(recognise(200, 'text/html', piece.repeat(1_000_000))).toMatchObject({ kind: 'none' });
  });
});

const live = sharedMaterial('fixtures/dspace/live');
test.skipIf(live === undefined).each([
  ['dspace7_root.json', /7\.6/],
  ['dspace8_root.json', /8\.2.*CRIS/],
  ['dspace10_root.json', /10\.1/],
  ['dspace11_root.json', /11\.0/],
])('a real root is one: %s', (file, version) => {
  const text = readFileSync(join(live ?? '', file), 'utf8');
  expect(recognise(200, 'application/hal+json;charset=UTF-8', text)).toMatchObject({
    kind: 'dspace',
    version: expect.stringMatching(version),
  });
});
