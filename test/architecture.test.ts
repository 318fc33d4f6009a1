import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** design: rooms, and who may enter whom. */
const mayImport: Record<string, readonly string[]> = {
  'src/core': [],
  'src/demo': ['src/core'],
  adapters: ['src/core'],
  'src/store': ['src/core', 'migrations'],
  'src/harvest': ['src/core', 'src/store'],
  'src/publish': ['src/core', 'src/store'],
  'src/conformance': ['src/core'],
  'src/export': ['src/core', 'src/store', 'src/publish'],
  'src/bridge': ['src/core', 'src/store', 'src/harvest', 'src/publish', 'src/server', 'adapters'],
  'src/server': ['src/core', 'src/store', 'src/publish'],
  'src/cli': [
    'src/core',
    'src/demo',
    'src/store',
    'src/harvest',
    'src/publish',
    'src/server',
    'src/conformance',
    'src/export',
    'src/bridge',
    'adapters',
  ],
  migrations: [],
};

/** What the pure room must not know: databases, networks, servers. */
const forbiddenInCore = ['knex', 'pg', 'fastify', 'undici', 'node:fs', 'node:net', 'node:http', 'node:https'];

const files = Object.keys(mayImport).flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(room, file)),
);

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap((match) => match[1] ?? []);
}

function roomOf(file: string): string | undefined {
  return Object.keys(mayImport).find((room) => file.startsWith(`${room}/`));
}

test('every file is in a room', () => {
  const strays = readdirSync(join(root, 'src'), { withFileTypes: true }).filter(
    (entry) => !entry.isDirectory() || !(`src/${entry.name}` in mayImport),
  );
  expect(strays.map(({ name }) => name)).toEqual([]);
  expect(files.length).toBeGreaterThan(50);
});

test('rooms import only what they may, and adapters do not know each other', () => {
  const violations = files.flatMap((file) => {
    const room = roomOf(file) ?? '';
    return importsOf(file)
      .filter((target) => target.startsWith('.'))
      .map((target) => relative(root, resolve(root, dirname(file), target)))
      .filter((target) => {
        const [targetRoom = '', kind] = [roomOf(target), target.split('/')[1]];
        if (room === 'adapters' && targetRoom === 'adapters') {
          return file !== 'adapters/index.ts' && kind !== file.split('/')[1];
        }
        return targetRoom !== room && !(mayImport[room] ?? []).includes(targetRoom);
      })
      .map((target) => `${file} imports ${target}`);
  });
  expect(violations).toEqual([]);
});

test('the core does no input or output', () => {
  const violations = files
    .filter((file) => file.startsWith('src/core/'))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => forbiddenInCore.some((name) => target === name || target.startsWith(`${name}/`)))
        .map((target) => `${file} imports ${target}`),
    );
  expect(violations).toEqual([]);
});

test('imports name files that exist, with their ending', () => {
  const broken = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith('.') && !existsSync(resolve(root, dirname(file), target)))
      .map((target) => `${file} imports ${target}`),
  );
  expect(broken).toEqual([]);
});

test('only the command line reads the environment', () => {
  const readers = files.filter(
    (file) => !file.startsWith('src/cli/') && readFileSync(join(root, file), 'utf8').includes('process.env'),
  );
  expect(readers).toEqual([]);
});

test('files are nouns of at most 400 lines, in kebab-case, and never a drawer for odds and ends', () => {
  const offenders = files.filter((file) => {
    const name = file.split('/').at(-1) ?? '';
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length;
    const drawer = /(^|\/)(utils?|helpers?|common|misc|types)(\/|\.ts$)/.test(file);
    return lines > 400 || drawer || !/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/.test(name);
  });
  expect(offenders).toEqual([]);
});

/** What is loaded with a file: its own imports and theirs, of packages by name; types and what is loaded later are not. */
function loadedWith(file: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(root, file), 'utf8');
  for (const [, target = ''] of text.matchAll(
    /^(?:import|export|\}) (?!type )(?:[^;]*?from )?'([^']+)';$/gm,
  )) {
    if (target.startsWith('.')) loadedWith(relative(root, resolve(root, dirname(file), target)), seen);
    else seen.add(target);
  }
  return seen;
}

test('a command line begins without what only some commands need', () => {
  const heavy = ['fastify', 'knex', 'pg', 'undici', 'xmlbuilder2', 'fast-xml-parser', 'yaml'];
  const ofMain = loadedWith('src/cli/main.ts');
  expect(heavy.filter((name) => ofMain.has(name))).toEqual([]);
  const ofStatus = loadedWith('src/cli/status/status.ts');
  expect(heavy.filter((name) => ofStatus.has(name))).toEqual(['knex', 'yaml']);
});
