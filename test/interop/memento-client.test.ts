import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mementoUri, timeGateUri } from '../../src/core/uris.ts';
import { created, hour, type MementoHouse, openMementoHouse } from '../house/interop/memento-house.ts';

/** The Python of an environment that has memento_client 0.6.1; `.ci/run` makes it and says where. */
const python = process.env.MEMENTO_CLIENT_PYTHON;

if (!python) {
  process.stderr.write(
    'SKIPPED: memento_client 0.6.1 needs MEMENTO_CLIENT_PYTHON=/path/to/python of an environment with it\n',
  );
}

type Call = readonly [name: string, uri: string, at?: string];

describe.skipIf(!python)('the Memento client of mementoweb, memento_client 0.6.1', () => {
  let house: MementoHouse;

  beforeAll(async () => {
    house = await openMementoHouse();
  });

  afterAll(async () => {
    await house?.close();
  });

  test('ME-04…06: is led from a resource to its own TimeGate and to what it was at any moment', async () => {
    const { lasting } = house;
    const at = ['2025-06-01T00:00:00Z', created, '2026-11-21T12:59:59Z', hour(13), '2026-11-21T14:59:59Z'];
    const closest = [created, created, created, hour(13), hour(14)];
    const infos = await ask(
      [...at, '2030-01-01T00:00:00Z'].map((moment) => ['get_memento_info', lasting, moment]),
    );
    expect(infos).toEqual([...closest, hour(15)].map((datetime) => info(lasting, datetime)));
  });

  test('first, last, prev and next are the neighbours that there are', async () => {
    const { lasting, single } = house;
    const [between, only] = await ask([
      ['get_memento_info', lasting, hour(13)],
      ['get_memento_info', single, hour(13)],
    ]);
    expect(mementosOf(between)).toMatchObject({
      first: memento(lasting, created),
      prev: memento(lasting, created),
      next: memento(lasting, hour(14)),
      last: memento(lasting, hour(15)),
    });
    expect(mementosOf(only)).toEqual({
      closest: { ...memento(single, created), http_status_code: 200 },
      first: memento(single, created),
      last: memento(single, created),
    });
  });

  test('ME-08: what is deleted since is still found in its past, and nothing is found where it was gone', async () => {
    const { gone, returned } = house;
    const [before, now, inGap, again] = await ask([
      ['get_memento_info', gone, '2026-11-21T13:30:00Z'],
      ['get_memento_info', gone, hour(16)],
      ['get_memento_info', returned, hour(14)],
      ['get_memento_info', returned, hour(16)],
    ]);
    expect(before).toEqual(info(gone, hour(13)));
    // All it can say of a TimeGate's 404.
    expect(now).toEqual({ original_uri: gone, timegate_uri: timeGateUri(house.baseUrl, gone) });
    expect(inGap).toEqual({ original_uri: returned, timegate_uri: timeGateUri(house.baseUrl, returned) });
    expect(again).toEqual(info(returned, hour(15)));
  });

  test('beginning with a memento it comes by its original to another one', async () => {
    const { baseUrl, lasting } = house;
    const [original, found] = await ask([
      ['get_original_uri', mementoUri(baseUrl, lasting, hour(14))],
      ['get_memento_info', mementoUri(baseUrl, lasting, hour(14)), hour(13)],
    ]);
    expect(original).toBe(lasting);
    expect(found).toEqual(info(lasting, hour(13)));
  });

  test('tells TimeGates, mementos and originals apart by their headers alone', async () => {
    const { baseUrl, lasting } = house;
    const [timeGate, memento] = [timeGateUri(baseUrl, lasting), mementoUri(baseUrl, lasting, hour(14))];
    expect(
      await ask([
        ['is_timegate', timeGate],
        ['is_timegate', timeGate, hour(13)],
        ['is_timegate', memento],
        ['is_timegate', lasting],
        ['is_memento', memento],
        ['is_memento', timeGate],
        ['is_memento', lasting],
        ['get_native_timegate_uri', lasting, hour(13)],
      ]),
    ).toEqual([true, true, false, false, true, false, false, timeGate]);
  });

  test('is led from a Resource List to what the list was', async () => {
    const { list } = house;
    const moments = ['2025-06-01T00:00:00Z', '2026-11-21T13:59:59Z', hour(14), '2030-01-01T00:00:00Z'];
    const infos = await ask(moments.map((moment) => ['get_memento_info', list, moment]));
    expect(infos).toEqual([12, 13, 14, 15].map((number) => info(list, hour(number))));
  });

  /** What it finds where the closest memento is that of `datetime`; neighbours are left to a test of their own. */
  function info(uri: string, datetime: string): unknown {
    return {
      original_uri: uri,
      timegate_uri: timeGateUri(house.baseUrl, uri),
      mementos: expect.objectContaining({ closest: { ...memento(uri, datetime), http_status_code: 200 } }),
    };
  }

  function memento(uri: string, datetime: string) {
    return { uri: [mementoUri(house.baseUrl, uri, datetime)], datetime };
  }

  async function ask(calls: readonly Call[]): Promise<unknown[]> {
    const peer = join(import.meta.dirname, '../house/interop/memento-client.py');
    const asking = promisify(execFile)(python ?? '', [peer]);
    asking.child.stdin?.end(calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
    const lines = (await asking).stdout.trim().split('\n');
    return lines.map((line) => {
      const { answer, error } = JSON.parse(line) as { answer?: unknown; error?: string };
      return error ?? answer;
    });
  }
});

function mementosOf(info: unknown): unknown {
  return (info as { readonly mementos?: unknown }).mementos;
}
