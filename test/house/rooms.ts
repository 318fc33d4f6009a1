import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..', '..');

/** design: rooms, and who may enter whom. */
export const mayImport: Record<string, readonly string[]> = {
  'src/launcher': [],
  'src/core': [],
  'src/demo': ['src/core'],
  'src/oai': ['src/core'],
  // The reader of Sources does no I/O of its own: it is to one adapter what a parser is, and other rooms need it, too.
  adapters: ['src/core', 'src/resourcesync'],
  'src/store': ['src/core', 'src/oai', 'migrations'],
  'src/objects': ['src/core'],
  'src/harvest': ['src/core', 'src/store'],
  'src/publish': ['src/core', 'src/store'],
  'src/resourcesync': ['src/core'],
  'src/conformance': ['src/core', 'src/resourcesync'],
  'src/oai-conformance': ['src/core', 'src/oai'],
  'src/sync': ['src/core', 'src/store', 'src/resourcesync'],
  'src/simulate': ['src/core'],
  'src/export': ['src/core', 'src/store', 'src/publish'],
  'src/bridge': [
    'src/core',
    'src/store',
    'src/harvest',
    'src/publish',
    'src/server',
    'src/objects',
    'src/resourcesync',
    'adapters',
  ],
  'src/server': ['src/core', 'src/oai', 'src/store', 'src/publish'],
  'src/cli': [
    'src/core',
    'src/oai',
    'src/demo',
    'src/store',
    'src/harvest',
    'src/publish',
    'src/server',
    'src/resourcesync',
    'src/conformance',
    'src/oai-conformance',
    'src/sync',
    'src/simulate',
    'src/export',
    'src/bridge',
    'adapters',
  ],
  migrations: [],
};

/** Everything that the program is made of. */
export const files = Object.keys(mayImport).flatMap((room) => filesBelow(room));

export function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file).replaceAll('\\', '/'));
}

export function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap((match) => match[1] ?? []);
}

/** Of our own; imports of types count. */
export function filesImportedBy(file: string): string[] {
  return importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => relative(root, resolve(root, dirname(file), target)).replaceAll('\\', '/'));
}

export function roomOf(file: string): string | undefined {
  return Object.keys(mayImport).find((room) => file.startsWith(`${room}/`));
}

/** Each node that leads back to itself, with one way back; none where all arrows run one way. */
export function circlesOf(arrows: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (node: string, way: string[]): void => {
    const at = way.indexOf(node);
    if (at >= 0) circles.push(way.slice(at));
    if (at >= 0 || done.has(node)) return;
    for (const next of arrows.get(node) ?? []) visit(next, [...way, node]);
    done.add(node);
  };
  for (const node of arrows.keys()) visit(node, []);
  return circles;
}
