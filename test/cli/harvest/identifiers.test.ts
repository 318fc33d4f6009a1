import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  failure,
  formats,
  identity,
  list,
  type Provider,
  provide,
  record,
} from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';

let directory: string;
let provider: Provider;
/** What the repository has, and lists. */
let there: string[];
/** What its ListIdentifiers answers instead. */
let instead: string | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-identifiers-'));
  there = Array.from({ length: 31 }, (_, index) => `oai:a:${index}`);
  instead = undefined;
  provider = await provide(answer);
  const repo = { url: provider.url, files: { mode: 'none' } };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources: { repo } }));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function answer(query: URLSearchParams): string {
  const identifier = query.get('identifier') ?? '';
  switch (query.get('verb')) {
    case 'Identify':
      return identity();
    case 'ListMetadataFormats':
      return formats;
    case 'ListRecords':
      return list(there.map((id) => record(id)));
    case 'ListIdentifiers':
      return instead ?? as('ListIdentifiers', list(there.map(headerOf)));
    case 'GetRecord':
      return there.includes(identifier)
        ? as('GetRecord', list([record(identifier)]))
        : failure('idDoesNotExist');
    default:
      return failure('noSetHierarchy');
  }
}

const as = (verb: string, response: string) => response.replaceAll('ListRecords', verb);
const headerOf = (identifier: string) => /<header>.*<\/header>/s.exec(record(identifier))?.[0] ?? '';
const run = (...args: string[]) => runMain(directory, args);
const status = async () => JSON.parse((await run('status', '--json')).stdout);

test('--identifiers is a question of its own, and has no answer before the first harvest', async () => {
  expect(await run('harvest', '--identifiers', '--full')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--full'),
  });
  expect(await run('harvest', '--identifiers')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('it has never been read to the end; rsbridge harvest repo'),
  });
});

test('--identifiers finds by the list alone what vanished and what was never delivered', async () => {
  expect(await run('harvest')).toMatchObject({ code: 0 });
  there = [...there.slice(1), 'oai:a:new'];
  provider.requests.length = 0;
  expect(await run('harvest', '--identifiers')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/identifiers listed: 1 created, 0 updated, 1 deleted/),
  });
  expect(provider.requests.filter((request) => request.includes('ListRecords'))).toEqual([]);
  expect(provider.requests.filter((request) => request.includes('GetRecord'))).toHaveLength(2);
  expect(await status()).toMatchObject({
    resources: 31,
    healthy: true,
    state: expect.stringMatching(/^up to date/),
    runs: [{ mode: 'identifiers', state: 'succeeded' }, { mode: 'full' }],
  });
});

test('what a list lacks too much of waits for a person, until a harvest settles it', async () => {
  await run('harvest');
  const all = there;
  there = there.slice(25);
  expect(await run('harvest', '--identifiers')).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('25 resources are missing from the list and were NOT deleted'),
  });
  await run('harvest');
  expect(await status()).toMatchObject({
    healthy: false,
    state: expect.stringContaining('needs attention since the identifier pass'),
  });
  there = all;
  await run('harvest', '--full');
  expect(await status()).toMatchObject({ healthy: true, resources: 31 });
});

test('a repository that does not list its identifiers is harvested all the same, and that is said', async () => {
  await run('harvest');
  instead = failure('badVerb', 'what is that?');
  expect((await run('harvest', '--identifiers')).code).toBe(3);
  expect(await status()).toMatchObject({
    healthy: true,
    resources: 31,
    state: expect.stringMatching(/^up to date.*its identifiers could not be listed to the end/),
  });
});
