import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  capabilityList,
  namespaces,
  resourceList,
  sha256,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let source: WrittenSource;
let copy: Copy;

const now = '2026-11-20T00:00:00Z';
const made = '2026-11-19T22:00:00Z';
const description = '/.well-known/resourcesync';

beforeEach(async () => {
  source = await WrittenSource.open();
  for (const set of ['x', 'y']) put(set);
  describeSets('x', 'y');
  copy = new Copy({ origin: source.origin, now });
});
afterEach(async () => {
  copy.end();
  await source.close();
});

function put(set: string, names: readonly string[] = namesOf(set), at = made): void {
  const entries = names.map((path) => {
    source.put(path, path, { type: 'text/plain' });
    return `<url><loc>${source.origin}${path}</loc><rs:md hash="${sha256(path)}" length="${path.length}"/></url>`;
  });
  source.put(`/${set}/rl.xml`, resourceList(entries.join(''), at));
  source.put(
    `/${set}/cl.xml`,
    `<urlset ${namespaces}><rs:md capability="changelist" from="${at}"/></urlset>`,
  );
  offer(set, ['resourcelist', 'changelist']);
}

function offer(set: string, capabilities: readonly ('resourcelist' | 'changelist')[]): void {
  const paths = { resourcelist: `/${set}/rl.xml`, changelist: `/${set}/cl.xml` };
  const lists = Object.fromEntries(capabilities.map((one) => [one, paths[one]]));
  source.put(`/${set}/cap.xml`, capabilityList(source.origin, lists));
}

function describeSets(...sets: readonly string[]): void {
  const entries = sets.map(
    (set) => `<url><loc>${source.origin}/${set}/cap.xml</loc><rs:md capability="capabilitylist"/></url>`,
  );
  source.put(
    description,
    `<urlset ${namespaces}><rs:md capability="description"/>${entries.join('')}</urlset>`,
  );
}

const namesOf = (set: string, count = 5) => Array.from({ length: count }, (_, at) => `/${set}/${at}`);
const filesOf = (...sets: readonly string[]) => sets.flatMap((set) => namesOf(set).map((n) => n.slice(1)));
const files = () => Object.keys(copy.contents());

describe('a copy of one set, of which another one is wanted by its name,', () => {
  test('is compared as a whole, and is that one', async () => {
    await copy.sync({ set: 'x' });
    expect(await copy.sync({ set: 'y' })).toMatchObject({
      set: `${source.origin}/y/cap.xml`,
      ways: [{ way: 'audit', why: expect.stringMatching(/^another set .*\/x\/cap\.xml$/) }],
      copied: { created: 5, deleted: 5 },
      ...{ held: 5, notes: [], isComplete: true },
    });
    expect(files()).toEqual(filesOf('y'));
    expect(await copy.sync({ set: 'y' })).toMatchObject({ ways: [{ way: 'incremental' }], isComplete: true });
    expect(await copy.sync({ set: 'x' })).toMatchObject({ held: 5, isComplete: true });
    expect(files()).toEqual(filesOf('x'));
  });

  test('is that one though its list is older than what was known of the other', async () => {
    put('x', namesOf('x'), '2026-11-19T23:00:00Z');
    await copy.sync({ set: 'x' });
    await copy.sync({ set: 'y' });
    expect(files()).toEqual(filesOf('y'));
  });

  test('keeps what is more than may be deleted, and is not complete until that is allowed', async () => {
    put('x', namesOf('x', 40));
    await copy.sync({ set: 'x' });
    for (let run = 0; run < 2; run += 1)
      expect(await copy.sync({ set: 'y' })).toMatchObject({
        ...{ held: 45, heldBack: { count: 40 }, isComplete: false },
      });
    expect(await copy.sync({ set: 'y', maximumDeletions: 40 })).toMatchObject({ isComplete: true });
    expect(files()).toEqual(filesOf('y'));
  });

  test('is not complete as long as the list of the new one cannot be read', async () => {
    await copy.sync({ set: 'x' });
    source.answers.delete('/y/rl.xml');
    for (let run = 0; run < 2; run += 1)
      await expect(copy.sync({ set: 'y' })).rejects.toMatchObject({ code: 'upstream-status' });
    expect(files()).toEqual(filesOf('x'));
    put('y');
    expect(await copy.sync({ set: 'y' })).toMatchObject({ isComplete: true });
    expect(files()).toEqual(filesOf('y'));
  });

  test('fetches nothing of what both have', async () => {
    put('y', [...namesOf('x'), ...namesOf('y')]);
    await copy.sync({ set: 'x' });
    expect(await copy.sync({ set: 'y' })).toMatchObject({ copied: { requests: 5, created: 5, deleted: 0 } });
  });

  test('does not fetch what was still to come of the other', async () => {
    source.put('/x/3', 'of another length', { type: 'text/plain' });
    expect(await copy.sync({ set: 'x' })).toMatchObject({ left: 1 });
    source.put('/x/3', '/x/3', { type: 'text/plain' });
    expect(await copy.sync({ set: 'y' })).toMatchObject({ left: 0, isComplete: true });
    expect(files()).toEqual(filesOf('y'));
  });

  test('stays as it is in a dry run', async () => {
    await copy.sync({ set: 'x' });
    expect(await copy.sync({ set: 'y', isDryRun: true })).toMatchObject({
      due: { count: 5 },
      read: { doomed: 5 },
    });
    expect(await copy.sync({ set: 'x' })).toMatchObject({ ways: [{ way: 'incremental' }], isComplete: true });
    expect(files()).toEqual(filesOf('x'));
  });

  test('stays as it is where changes alone are asked for, or there are no others', async () => {
    await copy.sync({ set: 'x' });
    await expect(copy.sync({ set: 'y', way: 'incremental' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/copy is of another set, .*\/x\/cap\.xml; leave out --incremental/),
    });
    offer('y', ['changelist']);
    await expect(copy.sync({ set: 'y' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('take another directory'),
    });
    expect(await copy.sync({ set: 'x' })).toMatchObject({ isComplete: true });
  });
});

test('a set that has moved is compared as a whole, which is told once', async () => {
  describeSets('x');
  await copy.sync();
  source.answers.delete('/x/cap.xml');
  describeSets('y');
  expect(await copy.sync()).toMatchObject({
    ways: [{ way: 'audit', why: 'the set has moved' }],
    notes: [`the set has moved from ${source.origin}/x/cap.xml to ${source.origin}/y/cap.xml`],
    isComplete: false,
  });
  expect(files()).toEqual(filesOf('y'));
  expect(await copy.sync()).toMatchObject({ ways: [{ way: 'incremental' }], notes: [], isComplete: true });
});
