import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkGroups, checkIds, checkTable } from '../../../src/oai-conformance/checks/check-table.ts';
import { filesBelow, root } from '../../house/rooms.ts';

test('every check is made somewhere, and its id is that of one group alone', () => {
  const code = filesBelow('src/oai-conformance')
    .filter((file) => !file.includes('/checks/'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  expect(checkIds.filter((check) => !code.includes(`'${check}'`))).toEqual([]);
  expect(Object.values(checkGroups).flatMap((group) => Object.keys(group))).toEqual(checkIds);
});

test('each says in a sentence what has to be, what to do, and who asks for it', () => {
  for (const check of checkIds) {
    const { asks, remedy, sources } = checkTable[check];
    expect(asks, check).toMatch(/^[`A-Z].*\.$/s);
    expect(remedy, check).toMatch(/^[`A-Z].*\.$/s);
    expect(sources.length, check).toBeGreaterThan(0);
    // They stand in a table.
    expect(`${asks}${remedy}${sources}`, check).not.toContain('|');
  }
});
