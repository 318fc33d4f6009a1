import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { openUpstream } from '../../house/server/loopback-upstream.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';

const run = (...args: string[]) => runMain(tmpdir(), ['validate', '--oai', ...args]);

async function told(...args: string[]) {
  const { code, stdout, stderr } = await run('--json', ...args);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { summary } = lines.pop();
  return { code, stderr, lines, summary };
}

describe('rsbridge validate --oai', () => {
  const repository = createSampleRepository({ clock: systemClock, records: 80 });
  let upstream = '';
  let service: SampleService;
  let ours = '';

  beforeAll(async () => {
    ({ url: upstream } = await repository.listen(0));
    const oai = { adminEmail: 'admin@sample.example.org', namespace: 'sample.example.org' };
    service = await startSampleService('', { oai }, {}, 130);
    ours = `${service.base}/sample/oai`;
    // Nobody is told how many records there are before all of them are in order.
    const first = `${ours}?verb=ListRecords&metadataPrefix=oai_dc`;
    await vi.waitFor(async () => expect(await (await fetch(first)).text()).toContain('completeListSize='), {
      timeout: 30_000,
    });
  });
  afterAll(async () => {
    await service?.close();
    await repository.close();
  });

  test('our endpoint over the demo has no finding', async () => {
    const { code, lines, summary } = await told(ours, '--strict');
    expect(lines).toEqual([]);
    expect(code).toBe(0);
    expect(summary).toMatchObject({ url: ours, failed: 0, unjudged: 0, errors: 0, warnings: 0 });
    expect(summary.records).toBeGreaterThan(100);
    expect(summary.checks['irdb-title']).toBe('passed');
    expect(summary.checks['openaire-format']).toBe('absent');
  });

  test('for people: a sentence, or each finding with what to do', async () => {
    expect(await run(ours, '--records', '1')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^\d+ requests, \d+ records: \d+ checks passed, 0 failed, .*: no errors, no warnings\.\n$/,
      ),
    });
    const { code, stdout } = await run(`${upstream}/?verb=Identify`, '--records', '1');
    expect([code, stdout]).toEqual([4, expect.stringContaining('  error   identify-answers  ')]);
    expect(stdout).toContain('          → Make sure that this is the base URL');
    expect(stdout).toContain('docs/validate-oai.md#');
  });

  test('the sample repository itself has no errors', async () => {
    const { code, lines } = await told(upstream);
    expect(lines.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(code).toBe(0);
  });

  test('what cannot be judged is neither passed nor failed, and says so by the exit code', async () => {
    const stops = await openUpstream({
      '*': (request, response) => {
        if (/verb=(?:Identify|ListMetadataFormats)$/.test(request.url ?? '')) {
          void fetch(`${upstream}?${request.url?.split('?')[1]}`).then(async (answer) => {
            const text = (await answer.text()).replaceAll(upstream, `${stops.origin}/oai`);
            response.writeHead(200, { 'content-type': 'text/xml' }).end(text);
          });
          return;
        }
        response.writeHead(503, { 'retry-after': '3000' }).end();
      },
    });
    const { code, lines, summary } = await told(`${stops.origin}/oai`);
    await stops.close();
    expect(code).toBe(3);
    expect(lines.every(({ unjudged }) => /3000 seconds/.test(unjudged))).toBe(true);
    expect(summary.checks).toMatchObject({ 'identify-base-url': 'passed', 'post-identify': 'unjudged' });
    expect(stops.requests.length).toBeLessThan(5);
  });

  test('what is mistyped, and what does not answer', async () => {
    expect((await run('http://127.0.0.1:1/oai')).code).toBe(3);
    expect((await run('no address')).code).toBe(2);
    expect((await run(ours, '--profile', 'crossref')).code).toBe(2);
    expect((await run(ours, '--sample', '3')).code).toBe(2);
    const without = await runMain(tmpdir(), ['validate', ours, '--all']);
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('add --oai') });
  });
});
