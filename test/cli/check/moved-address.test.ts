import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../house/adapters/legacy-repository.ts';
import { rootJson, serveRoutes } from '../../house/adapters/routed-server.ts';
import { formats, identity, list, provide, record } from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { capabilityList, resourceList, WrittenSource } from '../../house/resourcesync/written-source.ts';

vi.setConfig({ testTimeout: 120_000 });

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-moved-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A host that redirects everything to another one. */
async function redirecting(target: string, status: number): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(status, { location: new URL(request.url ?? '/', target).href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function configure(source: Record<string, unknown>): void {
  const network = { allow: ['127.0.0.0/8'] };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ network, sources: { one: source } }));
}

const run = (...args: readonly string[]) => runMain(directory, args);

const repository = () =>
  provide((query) =>
    query.get('verb') === 'Identify'
      ? identity()
      : query.get('verb') === 'ListRecords'
        ? list([record('oai:new.example.org:1')])
        : formats,
  );
/** What `check` says of the address of a source that answers. */
async function told() {
  const { stdout } = await run('check', '--json');
  const findings = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { check: string; ok: boolean; message: string; mend?: string });
  expect(findings, stdout).toContainEqual(expect.objectContaining({ check: 'source one', ok: true }));
  return findings.find(({ check }) => check === 'address of one');
}

describe('an address that redirects for good', () => {
  test('is told of by check, status and the next harvest of where it is, without what is secret', async () => {
    const { url } = await repository();
    const old = await redirecting(url, 301);
    configure({ url: `${old}/oai?api_key=s3cret-of-ours` });
    const checked = await run('check');
    const sentence = `redirects for good (301 or 308), to ${url}. See whether`;
    expect(checked.stdout).toContain(`note  address of one: Its address ${sentence}`);
    expect(checked.code).toBe(0);
    const doctor = await run('doctor');
    expect(doctor.stdout).toContain(`note  address of one: Its address ${sentence}`);
    expect(doctor.stdout).toContain(`      mend: sources: { one: { url: "${url}" } }`);
    await run('harvest', 'one');
    const { stdout } = await run('status', 'one');
    expect(stdout).toContain(sentence);
    expect(checked.stdout + checked.stderr + stdout).not.toContain('s3cret');
    configure({ url });
    await run('harvest', 'one');
    expect((await run('status', 'one')).stdout).not.toContain('redirects for good');
    expect(await told()).toBeUndefined();
  });

  test.each([302, 303, 307])('is no such address with %i', async (status) => {
    const { url } = await repository();
    configure({ url: `${await redirecting(url, status)}/oai` });
    expect(await told()).toBeUndefined();
  });

  test.each([
    [301, 302],
    [302, 308],
  ])('is none where one redirect of several is not: %i, %i', async (first, second) => {
    const { url } = await repository();
    const between = await redirecting(url, second);
    configure({ url: `${await redirecting(between, first)}/oai` });
    expect(await told()).toBeUndefined();
  });

  test('is told of after several of them', async () => {
    const { url } = await repository();
    const between = await redirecting(url, 308);
    configure({ url: `${await redirecting(between, 301)}/oai` });
    expect(await told()).toMatchObject({
      ok: true,
      mend: `sources: { one: { url: "${url}" } }`,
    });
  });

  test('is told of a DSpace by its REST API, and of an old one', async () => {
    const seven = await serveRoutes({ '/server/api': { json: rootJson() } });
    onTestFinished(() => seven.close());
    configure({ adapter: 'dspace', url: await redirecting(seven.origin, 301), oai: false });
    expect((await told())?.message).toContain(`${seven.origin}/server/api.`);
    const { url } = await serve({ collections: [], items: [] });
    const { origin } = new URL(url);
    configure({
      adapter: 'dspace-legacy',
      url: await redirecting(origin, 301),
      identity: 'oai:old.example.org',
    });
    expect((await told())?.message).toContain(`${origin}/rest.`);
  });

  test('is told of a Capability List', async () => {
    const source = await WrittenSource.open();
    onTestFinished(() => source.close());
    source.put('/resourcelist.xml', resourceList(''));
    source.put('/capabilitylist.xml', capabilityList(source.origin, { resourcelist: '/resourcelist.xml' }));
    const old = await redirecting(source.origin, 301);
    configure({ adapter: 'resourcesync', url: `${old}/capabilitylist.xml` });
    expect((await told())?.message).toContain(`${source.origin}/capabilitylist.xml.`);
  });
});
