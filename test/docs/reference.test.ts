import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  checkReference,
  configReference,
  crosswalkReference,
  errorReference,
  faultReference,
} from '../../src/cli/reference.ts';

const mark = '<!-- reference -->\n';

/** `UPDATE_DOCS=1 npm test` writes the tables anew. */
test.each([
  ['docs/configuration.md', configReference],
  ['docs/validate-oai.md', checkReference],
  ['docs/crosswalks.md', crosswalkReference],
  ['docs/simulate.md', faultReference],
  ['docs/errors.md', () => errorReference('en')],
  ['docs/ja/errors.md', () => errorReference('ja')],
])('%s says what the code says', (file, reference) => {
  const path = join(import.meta.dirname, '..', '..', file);
  const [head = ''] = readFileSync(path, 'utf8').split(mark);
  const expected = `${head}${mark}\n${reference()}`;
  if (process.env.UPDATE_DOCS) writeFileSync(path, expected);
  expect(readFileSync(path, 'utf8')).toBe(expected);
});
