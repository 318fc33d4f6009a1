import { expect, it } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import type { Documents, StoredDocument } from '../../../src/publish/disk/pointer.ts';
import {
  documentsWithStates,
  statesOf,
  withSuperseded,
} from '../../../src/publish/documents/former-documents.ts';

const set = { path: 'kyushu' };
const begin = '2026-11-21T12:00:00Z';
const path = 'kyushu/capabilitylist.xml';

const document = (etag: string, lastModified: string): StoredDocument => ({
  ...{ capability: 'capabilitylist', entries: 1, lastModified, immutable: false },
  plain: { etag, slices: [] },
});

it('keeps what was replaced by other bytes, oldest first, the last hundred of each', () => {
  let former: Documents = {};
  let published: Documents = { [path]: document('"0"', begin) };
  for (let number = 1; number <= 120; number += 1) {
    const next = { [path]: document(`"${number}"`, addSeconds(begin, number)) };
    former = withSuperseded(former, set, published, next);
    published = next;
  }
  const states = statesOf(former, path);
  expect(states.map(({ plain }) => plain.etag)).toEqual(
    Array.from({ length: 100 }, (_, index) => `"${index + 20}"`),
  );
  expect(states.every(({ immutable }) => immutable)).toBe(true);
  // Of a path that ends the same nothing is told.
  expect(statesOf(former, 'capabilitylist.xml')).toEqual([]);
  expect(statesOf(former, 'kyushu/metadata/capabilitylist.xml')).toEqual([]);
});

it('keeps nothing of what stays, of what had no second of its own, and of lists that follow the journal', () => {
  const before = { [path]: document('"a"', begin) };
  const former: Documents = {};
  const after = (next: StoredDocument) => withSuperseded(former, set, before, { [path]: next });
  expect(after(document('"a"', begin))).toBe(former);
  expect(after(document('"b"', begin))).toBe(former);
  expect(withSuperseded(former, set, before, {})).toBe(former);
  expect(withSuperseded(former, set, {}, before)).toBe(former);
  const open = 'kyushu/changelist.xml';
  const [one, two] = [document('"1"', begin), document('"2"', addSeconds(begin, 5))];
  expect(withSuperseded(former, set, { [open]: one }, { [open]: two })).toBe(former);
  expect(documentsWithStates(set)).not.toContain(open);
});
