import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { rsbridge } from '../../house/cli/processes.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { freePort } from '../../house/process/free-port.ts';

test.skipIf(process.platform === 'win32')(
  'what is withdrawn is withdrawn at every process that answers, from the next request on',
  { timeout: 180_000 },
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rsbridge-withdrawn-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const repository = createSampleRepository({ clock: systemClock, records: 4 });
    onTestFinished(() => repository.close());
    const { url } = await repository.listen(0);
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const quiet = { schedule: false, fullPass: false, identifierPass: false, files: { mode: 'none' } };
    const config = { baseUrl, listen: { port }, logLevel: 'warn', sources: { sample: { url, ...quiet } } };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
    for (const command of ['harvest', 'publish']) {
      const { code, stderr } = await runMain(directory, [command]);
      expect(code, stderr).toBe(0);
    }
    const { child } = rsbridge(['serve', '--processes', '2', '--json'], directory);
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    });
    if (child.stdout) await once(child.stdout, 'data');
    const list = await (await fetch(`${baseUrl}/sample/resourcelist.xml`)).text();
    const [, uri = ''] = /<loc>([^<]+)<\/loc>/.exec(list) ?? [];
    expect(await statuses(uri)).toEqual([200]);
    const { code, stderr } = await runMain(directory, ['withdraw', uri, '--reason', 'a test']);
    expect(code, stderr).toBe(0);
    expect(await statuses(uri)).toEqual([410]);
    expect((await runMain(directory, ['restore', uri])).code).toBe(0);
    expect(await statuses(uri)).toEqual([200]);
  },
);

/** Of answers over connections of their own, which the processes take in turns: those that differ. */
async function statuses(uri: string): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let asked = 0; asked < 8; asked += 1) {
    const status = await new Promise<number>((resolve, reject) => {
      get(uri, { agent: new Agent({ keepAlive: false }) }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      }).once('error', reject);
    });
    found.add(status);
  }
  return [...found].sort();
}
