import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { list, provide, record, repository } from '../house/adapters/scripted-provider.ts';
import { Screen } from '../house/cli/screen.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-progress-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** At a terminal, where results and talk are on the same screen. */
async function runAt(screen: Screen, ...args: string[]): Promise<number> {
  const never = new AbortController().signal;
  return main(args, { stdout: screen, stderr: screen, env: {}, cwd: directory, stop: never, abort: never });
}

function configure(urls: Readonly<Record<string, string>>): void {
  const sources = Object.entries(urls).map(([name, url]) => [name, { url, files: { mode: 'none' } }]);
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources: Object.fromEntries(sources) }));
}

test('harvest draws a bar with what the list says of its size, and leaves only results', async () => {
  const screen = new Screen(120);
  let seen = '';
  const token = '<resumptionToken completeListSize="2">more</resumptionToken>';
  const { url } = await provide(
    repository((query) => {
      if (!query.has('resumptionToken')) return list([record('oai:a:1')], token);
      // The second page comes when a person has seen how far it is.
      return async (response) => {
        while (!screen.text.includes('1 of 2 records'))
          await new Promise((resolve) => setTimeout(resolve, 10));
        seen = screen.text;
        response.end(list([record('oai:a:2')]));
      };
    }),
  );
  configure({ slow: url, unreachable: 'http://127.0.0.1:1/oai' });
  expect(await runAt(screen, 'harvest')).toBe(3);
  expect(screen.written.join('')).toMatch(/\rslow +0 records, \d s/);
  expect(seen).toMatch(/^slow +█{12}░{12} {2}50 % 1 of 2 records/m);
  expect(screen.text).toContain('slow: full harvest of 2 records: 2 created');
  expect(screen.text).toContain('unreachable: ');
  expect(screen.text).not.toMatch(/[█░]|\d records?,/);
});

test('publish and export say what they do from the first moment, and leave only results', async () => {
  const { url } = await provide(repository(() => list([record('oai:a:1'), record('oai:a:2')])));
  configure({ demo: url });
  await runAt(new Screen(), 'harvest');
  const publishing = new Screen(120);
  expect(await runAt(publishing, 'publish')).toBe(0);
  expect(publishing.written.join('')).toMatch(/\rdemo 0 resources, \d s \(set 1 of \d+\)/);
  expect(publishing.text).toMatch(/^demo: \d+ documents with \d+ entries → [^\n]+\n/);
  expect(publishing.text).not.toContain('(set ');
  const exporting = new Screen(120);
  expect(await runAt(exporting, 'export', 'out')).toBe(0);
  expect(exporting.written.join('')).toMatch(/\rdemo 0 resources, \d s/);
  expect(exporting.text).toMatch(/^\d+ documents and \d+ resources: [^\n]+$/);
});

test('--json leaves a terminal without bars', async () => {
  const { url } = await provide(repository(() => list([record('oai:a:1')])));
  configure({ demo: url });
  const screen = new Screen();
  expect(await runAt(screen, 'harvest', '--json')).toBe(0);
  expect(screen.written.join('')).not.toContain('\u001b');
});
