import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Images and riddles that had to be explained to people; each has a literal sentence in its place. */
const riddles =
  /face and a memory|\bthe anonymous (?!reader|client|browser|user)|somebody else is|\bis at it\b|pages? for people|moments? at which|was ever called|waits? for its first|what there is not|look(?:s|ed)? away/i;

const inFolders = ['src', 'adapters', 'docs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|md)$/.test(file))
    .map((file) => join(folder, file)),
);

test('nothing that a person reads, comments included, speaks in riddles', () => {
  const found = [...inFolders, 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'package.json'].flatMap(
    (file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (riddles.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

test('a number and its noun agree: no message writes the plural by itself', () => {
  const nouns = 'items|resources|records|files|documents|entries|sources|changes|problems|packages|payloads';
  const counted = new RegExp(
    `\\$\\{(?:\\w+\\.)*(?:length|count|items|resources|files|changes|problems)\\} (?:more )?(?:${nouns})\\b`,
  );
  const found = inFolders
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (counted.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    );
  expect(found).toEqual([]);
});
