import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { growth } from '../../src/harvest/threads/threads.ts';

const root = join(import.meta.dirname, '..', '..');
const launcher = join('src', 'launcher');
const require = createRequire(import.meta.url);
/** What of the launcher is in the package; the rest is for clones. */
const packed = (require('../../package.json') as { files: readonly string[] }).files.filter((file) =>
  file.startsWith('src/launcher/'),
);
const { allocatorSettings, heapFlags, poolFlags } = require('../../src/launcher/start-settings.cjs') as {
  allocatorSettings(given: NodeJS.ProcessEnv, args: readonly string[]): Readonly<Record<string, string>>;
  heapFlags(version: string, given: string, args?: readonly string[]): readonly string[];
  poolFlags(given: string, args: readonly string[], cores?: number): readonly string[];
};
const { complaint } = require('../../src/launcher/node-version.cjs') as {
  complaint(program: string, version: string): string | undefined;
};

describe('a Node that is too old', () => {
  it.each(['0.12.18', '12.22.12', '16.20.2', '20.18.3'])('%s is told what to install', (version) => {
    expect(complaint('rsbridge', version)).toBe(
      `rsbridge needs Node.js 20.19 or later; this is Node.js ${version}.\nInstall Node.js 24 from https://nodejs.org/ or with your package manager, and try again. [node-too-old]\n`,
    );
  });

  it.each(['20.19.0', '22.13.0', '24.21.0', '26.10.0', '100.0.0'])('%s is not', (version) => {
    expect(complaint('rsbridge', version)).toBeUndefined();
  });
});

describe('flags of V8', () => {
  it('are those of the line of Node', () => {
    expect(heapFlags('20.19.0', '')).toEqual(['--heap-growing-percent=40']);
    expect(heapFlags('22.13.0', '')).toEqual(heapFlags('20.19.0', ''));
    // By which a process with threads knows that nobody else has said it.
    expect(heapFlags('24.0.0', '', ['harvest'])).toContain(growth.ofLauncher);
    expect(heapFlags('24.0.0', '')).toEqual(['--heap-growing-percent=40', '--max-semi-space-size=16']);
    expect(heapFlags('26.10.0', '')).toEqual(heapFlags('24.0.0', ''));
    expect(heapFlags('20.19.0', '', ['sync', 'https://repo.example.org'])).toEqual([
      '--heap-growing-percent=70',
    ]);
  });

  it('collect more often where a process only works', () => {
    expect(heapFlags('24.0.0', '', ['serve', '--role', 'work'])).toContain('--heap-growing-percent=25');
    expect(heapFlags('24.0.0', '', ['serve', '--role=work'])).toContain('--heap-growing-percent=25');
    expect(heapFlags('24.0.0', '', ['serve', '--role', 'web'])).toEqual([
      '--heap-growing-percent=40',
      '--max-semi-space-size=4',
    ]);
    expect(heapFlags('24.0.0', '', ['serve', '--role', 'all'])).toEqual(heapFlags('24.0.0', '', ['serve']));
    expect(heapFlags('24.0.0', '--heap-growing-percent=60', ['serve', '--role=work'])).not.toContain(
      '--heap-growing-percent=25',
    );
  });

  it('that the user has set win', () => {
    expect(heapFlags('24.0.0', '', ['serve'])).toContain('--max-semi-space-size=8');
    expect(heapFlags('24.0.0', '--max-old-space-size=4096')).toEqual(['--max-semi-space-size=16']);
    expect(heapFlags('24.0.0', '--inspect --max_semi_space_size=64')).toEqual(['--heap-growing-percent=40']);
    expect(heapFlags('24.0.0', '--max-old-space-size=9 --max-semi-space-size=9')).toEqual([]);
  });
});

describe('threads of V8 that collect garbage', () => {
  it('leave a core to what harvests in threads, where there are few', () => {
    const cores = [1, 2, 4, 5, 64];
    const pools = cores.map((count) => poolFlags('', ['harvest'], count)[0]);
    expect(pools).toEqual(['--v8-pool-size=1', '--v8-pool-size=1', '--v8-pool-size=3', undefined, undefined]);
    for (const args of [['serve'], ['serve', '--role=work'], ['sync'], ['status'], []])
      expect(poolFlags('', args, 2)).toEqual([]);
    expect(poolFlags('--v8-pool-size=8', ['harvest'], 2)).toEqual([]);
  });
});

describe('settings of the allocator', () => {
  it('are for what has threads and for one of many processes, and left out where the user has set some', () => {
    const one = ['serve', '--role', 'web'];
    expect(allocatorSettings({ PATH: '/bin' }, one)).toMatchObject({ MALLOC_ARENA_MAX: '1' });
    const itsPages = ({ MALLOC_MMAP_THRESHOLD_: bytes }: Record<string, string>) => Number(bytes);
    expect(itsPages(allocatorSettings({}, ['serve', '--role=work']))).toBeLessThan(
      itsPages(allocatorSettings({}, one)),
    );
    expect(allocatorSettings({ MALLOC_ARENA_MAX: '8' }, one)).toEqual({});
    expect(allocatorSettings({ GLIBC_TUNABLES: 'glibc.malloc.arena_max=8' }, one)).toEqual({});
    expect(allocatorSettings(allocatorSettings({}, one), one)).toEqual({});
    expect(allocatorSettings({}, ['status'])).toEqual({});
    for (const command of ['export', 'publish', 'serve', 'sync'])
      expect(allocatorSettings({}, [command])).toEqual({ MALLOC_ARENA_MAX: '1' });
    expect(allocatorSettings({}, ['harvest'])).toEqual({ MALLOC_ARENA_MAX: '2' });
  });
});

describe('the launcher', () => {
  let place: string;
  const launch = (
    env: Readonly<Record<string, string>> = {},
    others: NodeJS.ProcessEnv = process.env,
    args: readonly string[] = ['--version'],
  ) =>
    spawnSync(process.execPath, [join(place, launcher, 'rsbridge.cjs'), ...args], {
      encoding: 'utf8',
      env: { ...others, ...env },
    });

  /** An installed package, without its program so far. */
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'rsbridge-launcher-'));
    for (const file of packed) cpSync(join(root, file), join(place, file));
    cpSync(join(root, 'package.json'), join(place, 'package.json'));
  });

  afterEach(() => {
    rmSync(place, { recursive: true, force: true });
  });

  function build(): void {
    symlinkSync(inject('compiled'), join(place, 'dist'), 'junction');
  }

  /** The sources that a clone has, a few words long. */
  function clone(): void {
    cpSync(join(root, launcher), join(place, launcher), { recursive: true });
    for (const room of ['src', 'adapters', 'migrations']) {
      mkdirSync(join(place, room), { recursive: true });
      writeFileSync(join(place, room, 'a.ts'), 'export const a = 1;\n');
    }
    writeFileSync(join(place, 'package-lock.json'), '{}');
  }

  it('runs the program, with its exit code', () => {
    build();
    expect(launch()).toMatchObject({
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
      status: 0,
    });
    const refused = spawnSync(process.execPath, [join(place, launcher, 'rsbridge.cjs'), 'dance'], {
      encoding: 'utf8',
    });
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('unknown command')]);
  });

  it('starts with what counts at the start alone, and not where the user has set it', () => {
    mkdirSync(join(place, 'dist', 'program'), { recursive: true });
    writeFileSync(join(place, 'dist', 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(place, 'dist', 'program', 'bin.js'),
      'console.log(process.argv[2], process.env.MALLOC_ARENA_MAX, ...process.execArgv);',
    );
    const { MALLOC_ARENA_MAX: _, ...env } = process.env;
    const isAnew = 'execve' in process && process.platform === 'linux';
    const args = ['serve', '--role=web'];
    const flags = isAnew ? ['1', ...heapFlags(process.versions.node, '', args)] : ['undefined'];
    expect(launch({}, env, args)).toMatchObject({
      stdout: `${['serve', ...flags].join(' ')}\n`,
      stderr: '',
      status: 0,
    });
    const pool = isAnew ? poolFlags('', ['harvest']) : [];
    expect(launch({}, env, ['harvest']).stdout).toContain(['', ...pool].join(' '));
    const NODE_OPTIONS = '--max-old-space-size=300 --max-semi-space-size=8';
    expect(launch({ NODE_OPTIONS, MALLOC_ARENA_MAX: '3' }, env, args)).toMatchObject({
      stdout: 'serve 3\n',
      stderr: '',
      status: 0,
    });
  });

  it('says where nothing is built', () => {
    expect(launch()).toMatchObject({
      stderr: expect.stringMatching(/^rsbridge is not built: .*\nInstall it again\. \[not-built\]\n$/),
      status: 2,
    });
    clone();
    expect(launch().stderr).toContain('Run `npm ci`, then `npm run build`, in this folder. [not-built]');
  });

  it('says that sources have changed since they were built', () => {
    clone();
    mkdirSync(join(place, 'dist'));
    cpSync(join(inject('compiled'), 'program'), join(place, 'dist', 'program'), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'), 'junction');
    const sources = require('../../src/launcher/sources.cjs') as {
      stampOf(root: string): string;
      hashSources(root: string): string;
    };
    writeFileSync(sources.stampOf(place), sources.hashSources(place));
    expect(launch()).toMatchObject({ stderr: '', status: 0 });
    rmSync(join(place, 'src', 'a.ts'));
    expect(launch()).toMatchObject({
      stderr: expect.stringContaining('the sources have changed since the last build'),
      status: 0,
    });
  });
});

describe('the program as it is built', () => {
  it('has the script of each thread beside the file that starts it', () => {
    const sources = ['src', 'adapters'].flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(join(root, room, file), 'utf8')),
    );
    const scripts = sources.flatMap((source) => [...source.matchAll(/new URL\(`\.\/([^$]+)\$\{extname/g)]);
    expect(scripts.length).toBeGreaterThan(2);
    for (const [, script] of scripts)
      expect(existsSync(join(inject('compiled'), 'program', `${script}.js`)), script).toBe(true);
  });

  it('needs nothing beside it but the packages that it depends on', () => {
    const program = join(inject('compiled'), 'program');
    const { dependencies, optionalDependencies } = require('../../package.json') as Record<string, object>;
    const installed = Object.keys({ ...dependencies, ...optionalDependencies });
    const imported = readdirSync(program)
      .filter((file) => file.endsWith('.js'))
      .flatMap((file) => [
        ...readFileSync(join(program, file), 'utf8').matchAll(
          /^import .*?"([^".][^"]*)";$|import\("([^".][^"]*)"\)/gm,
        ),
      ])
      .map(([, statically, later]) => statically ?? later ?? '');
    expect(imported).toContain('undici');
    const missing = imported.filter(
      (name) => !isBuiltin(name) && !installed.some((one) => name === one || name.startsWith(`${one}/`)),
    );
    expect(missing).toEqual([]);
  });

  it('names the licence of all that became part of it', () => {
    const licenses = readFileSync(join(inject('compiled'), 'program', 'licenses.txt'), 'utf8');
    const named = [...licenses.matchAll(/^== (\S+) \d\S*, (.+)$/gm)];
    expect(named.map(([, name]) => name)).toEqual(
      expect.arrayContaining(['@sinclair/typebox', 'knex', 'lodash', 'pino']),
    );
    expect(new Set(named.map(([, , license]) => license))).toEqual(new Set(['MIT', 'ISC', 'Apache-2.0']));
    expect(licenses).not.toContain('It has no text of it.');
  });
});
