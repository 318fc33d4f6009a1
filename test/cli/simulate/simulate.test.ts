import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allFaults } from '../../../src/simulate/faults/catalogue.ts';
import { runMain } from '../../house/cli/run-main.ts';

let directory: string;
const run = (...args: string[]) => runMain(directory, ['simulate', ...args]);
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-simulate-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('rsbridge simulate', () => {
  test('says where it is, how it stands, and ends after its time', async () => {
    const { code, stdout, stderr } = await run(...short, '--resources', '7', '--seed', '5');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\n {4}the Source, for people\n/);
    expect(stdout).toContain('/control/state\n');
    expect(stderr).toMatch(/^7 resources, seed 5\. Ctrl-C stops\.\n/);
    expect(stderr).toMatch(/7 resources, 0 changes; answered: 0 documents/);
  });

  test('--list-faults names each once, with what a Destination should make of it', async () => {
    const { stdout } = await run('--list-faults', '--json');
    const faults = linesOf(stdout);
    expect(faults.map(({ name }) => name)).toEqual([...new Set(allFaults.map(({ name }) => name))]);
    for (const fault of faults) {
      expect(fault.what).toMatch(/^\S.*\S$/);
      expect(fault.expects).toMatch(/^\S.*\S$/);
      expect(['same', 'later', 'less']).toContain(fault.outcome);
    }
    const { stdout: text } = await run('--list-faults');
    expect(text).toContain('busy (0.1)\n      the server asks to wait a second (503, Retry-After)\n');
  });

  test('takes the configuration of the simulator of the reference', async () => {
    writeFileSync(join(directory, 'simulation.yaml'), reference);
    const settings = ['--settings', 'simulation.yaml'];
    const { code, stdout, stderr } = await run(...settings, '--port', '0', '--for', '0.05', '--json');
    expect(code).toBe(0);
    expect(linesOf(stdout)[1].url).toMatch(/\/\.well-known\/resourcesync$/);
    expect(stderr).toContain('12 resources, seed 1');
  });

  test.each([
    [['--faults', 'busi'], /there is no fault called busi/],
    [['--faults', 'busy:7'], /NAME:SHARE says how often one strikes, from 0 to 1/],
    [['--events', 'create,move'], /--events is \["create","move"\]: give some of create, update, delete/],
    [['--base-url', 'localhost'], /give http:\/\/HOST:PORT/],
    [['--settings', 'none.yaml'], /--settings .*none\.yaml cannot be read/],
    [['--settings', 'empty.yaml'], /is no configuration of resync-simulator/],
    [['--settings', 'words.yaml'], /number_of_resources: many; give a number/],
    [['--rate', '1', '--change-delay', '2'], /cannot be used with/],
  ])('%j is refused, and says what to type', async (args, message) => {
    writeFileSync(join(directory, 'empty.yaml'), '');
    writeFileSync(join(directory, 'words.yaml'), 'source: { number_of_resources: many }\n');
    const { code, stderr } = await run(...short, ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

const short = ['--port', '0', '--rate', '0', '--for', '0.05'];
const reference = `
source:
    name: ResourceSync Simulator
    number_of_resources: 12
    change_delay: 2
    event_types: [create, update, delete]
    average_payload: 100
    max_events: -1
    stats_interval: 10
resource_list_builder:
    class: DynamicResourceListBuilder
    uri_path: resourcelist.xml
changememory:
    class: DynamicChangeList
    uri_path: changelist.xml
    max_changes: 1000
`;
