import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { arrowsOf, arrowsWithin } from './house/arrows.ts';
import {
  circlesOf,
  files,
  filesBelow,
  filesImportedBy,
  importsOf,
  mayImport,
  roomOf,
  root,
} from './house/rooms.ts';

/** What the pure room must not know: databases, networks, servers. */
const forbiddenInCore = ['knex', 'pg', 'fastify', 'undici', 'node:fs', 'node:net', 'node:http', 'node:https'];

/** Lists of like things, which may be longer than a folder otherwise is. */
const listsOfLikeThings = ['adapters/oai-pmh/files/formats', 'migrations', 'test/bench'];

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
    return filesImportedBy(file)
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

describe('rooms within rooms', () => {
  test('no circle of files, imports of types counted', () => {
    const all = [...files, ...filesBelow('test')];
    expect(circlesOf(new Map(all.map((file) => [file, filesImportedBy(file)])))).toEqual([]);
  });

  test.each(Object.entries(arrowsWithin))('%s: its folders import what is written here', (room, arrows) => {
    expect(arrowsOf(room)).toEqual(arrows);
  });

  test('all arrows run one way, and every room that has folders is written down', () => {
    for (const arrows of Object.values(arrowsWithin)) {
      const targets = Object.entries(arrows).map(([from, to]) => [from, to.split(' ')] as const);
      expect(circlesOf(new Map(targets))).toEqual([]);
    }
    const withFolders = files.flatMap((file) => {
      const room = file.startsWith('adapters/')
        ? file.split('/').slice(0, 2).join('/')
        : (roomOf(file) ?? '');
      return file.slice(room.length + 1).includes('/') ? [room] : [];
    });
    expect(new Set(withFolders)).toEqual(new Set(Object.keys(arrowsWithin)));
  });

  test('CONTRIBUTING.md has a line for every folder, and its tours name files that exist', () => {
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const inOrder = [...text.matchAll(/^((?:src|adapters|migrations)\S*) +\S/gm)].flatMap(
      (match) => match[1] ?? [],
    );
    expect([...inOrder].sort()).toEqual([...new Set(files.map((file) => dirname(file)))].sort());
    // What lies in the room itself stands in the room's own line.
    const lineOf = (room: string, name: string) =>
      inOrder.indexOf(name === 'contracts' ? room : `${room}/${name}`);
    const wrongWay = Object.entries(arrowsWithin).flatMap(([room, arrows]) =>
      Object.entries(arrows).flatMap(([from, to]) =>
        to
          .split(' ')
          .filter((other) => !`${from} ${other}`.includes('.ts') && !other.startsWith(`${from}/`))
          .filter((other) => lineOf(room, other) > lineOf(room, from))
          .map((other) => `${room}/${from} is drawn above ${other}`),
      ),
    );
    expect(wrongWay).toEqual([]);
    const tours = [...text.matchAll(/^\d+\. `([^`]+\.ts)`/gm)].flatMap((match) => match[1] ?? []);
    expect(tours).toHaveLength(20);
    expect(tours.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('a folder holds at most 15 files', () => {
    const folders = [...files, ...filesBelow('test')].map((file) => dirname(file));
    const full = [...new Set(folders)].filter(
      (folder) => folders.filter((other) => other === folder).length > 15,
    );
    expect(full.filter((folder) => !listsOfLikeThings.includes(folder))).toEqual([]);
  });

  test('a test lies where the file lies that it is named after', () => {
    const strays = filesBelow('test').filter((file) => {
      const room = file.startsWith('test/adapters/')
        ? file.split('/').slice(1, 3).join('/')
        : file.split('/').slice(0, 2).join('/').replace('test/', 'src/');
      const name = basename(file).replace('.test.ts', '.ts');
      const named = files.filter((source) => source.startsWith(`${room}/`) && basename(source) === name);
      const places = named.map((source) =>
        dirname(source).replace('src/', 'test/').replace('adapters/', 'test/adapters/'),
      );
      return file.endsWith('.test.ts') && places.length > 0 && !places.includes(dirname(file));
    });
    expect(strays).toEqual([]);
  });
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

test('what benchmarks start in processes of their own is there', () => {
  const bench = join(root, 'test', 'bench');
  const scripts = readdirSync(bench)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(bench, name), 'utf8').matchAll(/\bstart\('([^']+)'/g)])
    .map(([, script = '']) => script);
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter((script) => !existsSync(join(bench, `${script}.ts`)))).toEqual([]);
});
