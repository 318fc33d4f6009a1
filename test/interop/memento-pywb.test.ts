import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MementoHouse, openMementoHouse } from '../house/interop/memento-house.ts';

/** Beside memento_client; `.ci/run` makes the environment and says where. */
const python = process.env.MEMENTO_CLIENT_PYTHON ?? '';
const available = python !== '' && spawnSync(python, ['-W', 'ignore', '-c', 'import pywb']).status === 0;

if (!available) {
  process.stderr.write(
    'SKIPPED: pywb 2.10.0 needs MEMENTO_CLIENT_PYTHON=/path/to/python of an environment with it\n',
  );
}

describe.skipIf(!available)('the web archive pywb 2.10.0, with us as a remote archive', () => {
  let house: MementoHouse;

  beforeAll(async () => {
    house = await openMementoHouse();
  });

  afterAll(async () => {
    await house?.close();
  });

  test('fills its index from our TimeMaps, also of what is deleted since', async () => {
    const { lasting, single, gone, returned } = house;
    expect(await ask([lasting, single, gone, returned, `${lasting}x`].map((uri) => [uri, null]))).toEqual([
      [
        ['20260101000000', 'first memento', true],
        ['20261121130000', 'memento', true],
        ['20261121140000', 'memento', true],
        ['20261121150000', 'last memento', true],
      ],
      [['20260101000000', 'first last memento', true]],
      [
        ['20260101000000', 'first memento', true],
        ['20261121130000', 'last memento', true],
      ],
      [
        ['20260101000000', 'first memento', true],
        ['20261121150000', 'last memento', true],
      ],
      null,
    ]);
  });

  test('asks our TimeGates for what is closest, and finds nothing where there was nothing', async () => {
    const { lasting, gone } = house;
    const [early, between, late, deleted] = await ask([
      [lasting, '20200101000000'],
      [lasting, '20261121133000'],
      [lasting, '20301231235959'],
      [gone, '20261121143000'],
    ]);
    expect(early?.[0]).toEqual(['20260101000000', 'first memento', true]);
    expect(between).toEqual([
      ['20260101000000', 'first prev memento', true],
      ['20261121130000', 'memento', true],
      ['20261121140000', 'next memento', true],
      ['20261121150000', 'last memento', true],
    ]);
    expect(late?.at(-1)).toEqual(['20261121150000', 'last memento', true]);
    expect(deleted).toBeNull();
  });

  type Found = readonly (readonly [timestamp: string, rel: string, isTold: boolean])[] | null;

  async function ask(questions: readonly (readonly [string, string | null])[]): Promise<readonly Found[]> {
    const asking = promisify(execFile)(python, [
      join(import.meta.dirname, '../house/interop/memento-pywb.py'),
      house.baseUrl,
    ]);
    asking.child.stdin?.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
    const lines = (await asking).stdout.trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Found);
  }
});
