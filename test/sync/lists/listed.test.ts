import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CopyDatabase } from '../../../src/sync/state/copy-database.ts';
import { DueResources } from '../../../src/sync/state/due-resources.ts';
import { ExpectedFiles } from '../../../src/sync/state/expected-files.ts';
import { HeldResources } from '../../../src/sync/state/held-resources.ts';
import { ListedResources } from '../../../src/sync/state/listed-resources.ts';
import { ChangingSource } from '../../house/sync/changing-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let source: ChangingSource;
let copy: Copy;

/** More than are written down together. */
const count = 600;

beforeEach(async () => {
  source = await ChangingSource.open();
  source.offers = ['resourcelist', 'changelist'];
  copy = new Copy(source);
  for (let number = 0; number < count; number += 1) source.put(`/${number}`, `this is ${number}`);
  // Longer than changes are read again.
  source.pass(7_200);
  source.list();
});
afterEach(async () => {
  copy.end();
  await source.close();
});

/** Rows of the state, and what is written down without rows. */
function kept(): { readonly due: number; readonly expected: number } {
  const database = CopyDatabase.open(copy.directory);
  try {
    const sql = `select (select count(*) from due) as due,
      (select count(*) from setting where name like 'expected %') as expected`;
    return { due: 0, expected: 0, ...database.get<{ due: number; expected: number }>(sql) };
  } finally {
    database.close();
  }
}

async function isAsListed(): Promise<void> {
  const audit = await copy.sync({ way: 'audit' });
  expect(audit).toMatchObject({ read: { same: count, due: 0, doomed: 0 }, left: 0, isComplete: true });
  expect(copy.contents()).toEqual(source.contents());
  expect(kept()).toEqual({ due: 0, expected: 0 });
}

describe('a new directory that is filled from a list', () => {
  it('has all that is listed, each asked for once, and is followed by changes after that', async () => {
    const report = await copy.sync();
    expect(report).toMatchObject({ held: count, left: 0, isComplete: true, due: { count, stated: count } });
    expect(report.copied).toMatchObject({ created: count, confirmed: 0, requests: count });
    expect(source.takeAsked()).toHaveLength(count);
    expect(kept()).toEqual({ due: 0, expected: 0 });
    source.put('/5', 'later');
    source.remove('/6');
    expect(await copy.sync()).toMatchObject({ copied: { requests: 1, updated: 1, deleted: 1 } });
    expect(copy.contents()).toEqual(source.contents());
  });

  it('has the state of the newest changes: what is gone never comes, what is another is asked for once', async () => {
    source.put('/3', 'for the second time');
    source.remove('/4');
    source.remove('/7');
    source.put('/7', 'back again');
    source.put('/new', 'new');
    const report = await copy.sync();
    expect(report).toMatchObject({ held: count, isComplete: true, read: { doomed: 0 } });
    expect(report.copied).toMatchObject({ created: count, updated: 0, deleted: 0, requests: count });
    expect(source.takeAsked()).not.toContain('/4');
    expect(copy.contents()).toEqual(source.contents());
  });

  it('takes the list for newer than changes before it', async () => {
    source.put('/3', 'for the second time');
    source.remove('/4');
    source.put('/4', 'back again');
    source.list();
    const report = await copy.sync();
    expect(report).toMatchObject({ held: count, isComplete: true });
    expect(report.copied).toMatchObject({ created: count, requests: count });
    await isAsListed();
  });

  it('tries once what fails, keeps it due, and has it the next time', async () => {
    let isBroken = true;
    let asked = 0;
    source.interferences.set('/8', (response) => {
      asked += 1;
      if (isBroken) response.writeHead(404).end('gone?');
      return isBroken;
    });
    const report = await copy.sync();
    expect(report).toMatchObject({ held: count - 1, left: 1, isComplete: false, copied: { failed: 1 } });
    expect(asked).toBe(1);
    expect(kept()).toEqual({ due: 1, expected: 0 });
    isBroken = false;
    expect(await copy.sync()).toMatchObject({ left: 0, copied: { created: 1 } });
    await isAsListed();
  });

  it('keeps the rest due where it is stopped, and goes on with that', async () => {
    const stop = new AbortController();
    source.interferences.set('/300', () => {
      stop.abort();
      return false;
    });
    const report = await copy.sync({}, { stop: stop.signal });
    expect(report.isStopped).toBe(true);
    expect(report.held).toBeGreaterThan(200);
    expect(report.held + report.left).toBe(count);
    // The rest of what was begun has rows.
    const { due, expected } = kept();
    expect({ due, expected }).toEqual({ due: report.left - (count - 512), expected: 1 });
    source.takeAsked();
    expect(await copy.sync()).toMatchObject({ ways: [{ way: 'incremental' }], left: 0 });
    expect(source.takeAsked()).toHaveLength(report.left);
    await isAsListed();
  });

  it('has what a list that is cut off names, without a cursor, and the rest once it can be read', async () => {
    source.partSize = 200;
    source.list();
    let isCut = true;
    source.interferences.set('/rl-2.xml', (response, _headers, body) => {
      if (isCut) response.writeHead(200).end(body.subarray(0, body.length / 2));
      return isCut;
    });
    const report = await copy.sync();
    expect(report).toMatchObject({ cursor: undefined, isComplete: false, left: 0, copied: { deleted: 0 } });
    expect(report.notes).toEqual([expect.stringContaining('was not read to its end')]);
    expect(report.held).toBeGreaterThan(400);
    expect(report.held).toBeLessThan(count);
    isCut = false;
    expect(await copy.sync()).toMatchObject({ held: count, ways: [{ way: 'baseline' }] });
    await isAsListed();
  });

  it('has no more than it may have: the rest stays due', async () => {
    const report = await copy.sync({ quota: { resources: 100 } });
    expect(report).toMatchObject({ held: 100, left: count - 100 });
    expect(await copy.sync()).toMatchObject({ held: count, left: 0 });
    await isAsListed();
  });
});

it('what a run that was killed had written down is due in the next one, with its links', () => {
  const database = CopyDatabase.open(copy.directory);
  const due = new DueResources(database);
  const href = `${source.origin}/then`;
  const links = [{ rel: 'memento', href, type: undefined, path: undefined, pri: 1 }];
  const stated = { loc: `${source.origin}/1`, change: undefined, lastmod: undefined, hashes: [], length: 9 };
  const held = new HeldResources(database);
  const listed = new ListedResources(new ExpectedFiles(database), held, due);
  listed.add({ ...stated, type: 'text/plain', links }, source.now);
  listed.write();
  new ExpectedFiles(database).recall(due, held);
  expect(due.find(stated.loc)).toMatchObject({
    length: 9,
    type: 'text/plain',
    links: [{ rel: 'memento', href }],
  });
  database.close();
  expect(kept()).toEqual({ due: 1, expected: 0 });
});
