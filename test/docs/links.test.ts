import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const docs = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'));
const inFolders = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.includes('/') && file.endsWith('.md'));
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'deploy/README.md'],
  ...[...docs, ...inFolders].map((file) => join('docs', file)),
];

/** The anchors of a page, as its headings and its own marks make them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
  const marks = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  return new Set([...headings, ...marks]);
}

test.each(pages)('every link of %s leads to a page, and to a place on it', (page) => {
  const broken = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).has(anchor);
    });
  expect(broken).toEqual([]);
});

test('the index names every page', () => {
  const index = readFileSync(join(root, 'docs', 'README.md'), 'utf8');
  expect(docs.filter((file) => file !== 'README.md' && !index.includes(`](${file}`))).toEqual([]);
});

test('the index of each folder names its pages, and is named itself', () => {
  const index = readFileSync(join(root, 'docs', 'README.md'), 'utf8');
  const folders = new Set(inFolders.map((file) => dirname(file)));
  expect(folders.size).toBeGreaterThan(1);
  for (const folder of folders) {
    expect(index).toContain(`](${folder}/README.md)`);
    const own = readFileSync(join(root, 'docs', folder, 'README.md'), 'utf8');
    const names = inFolders.filter((file) => dirname(file) === folder).map((file) => basename(file));
    expect(names.filter((name) => name !== 'README.md' && !own.includes(`](${name}`))).toEqual([]);
  }
});

test('README is one screen, and has the two commands', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(readme.split('\n').length).toBeLessThan(75);
  expect(readme).toContain('\nnpm ci && npm run demo\n');
  expect(readme).toContain('\nnpm ci && npm test\n');
});
