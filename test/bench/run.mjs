// `npm run bench NAME [ARGUMENTS]`: runs a benchmark from compiled code, and `rsbridge` as users run it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import launcher from '../../src/launcher/start-settings.cjs';

const [name, ...rest] = process.argv.slice(2);
const dist = join(import.meta.dirname, '..', '..', 'dist');
const file = join(dist, 'bench', 'test', 'bench', `${name}.js`);
const given = process.env.NODE_OPTIONS ?? '';
/** As the launcher gives them; an older Node it cannot start anew. */
const flagsOf = (...args) =>
  [
    ...launcher.heapFlags(process.versions.node, given, args),
    ...(process.execve ? launcher.poolFlags(given, args) : []),
  ].join(' ');
const allocatorOf = (...args) => JSON.stringify(launcher.allocatorSettings(process.env, args));
const program = join(dist, 'program', 'bin.js');
const env = {
  ...process.env,
  BENCH_HEAP_FLAGS: flagsOf(),
  BENCH_HARVEST_HEAP_FLAGS: flagsOf('harvest'),
  BENCH_SERVE_HEAP_FLAGS: flagsOf('serve'),
  BENCH_SYNC_HEAP_FLAGS: flagsOf('sync'),
  BENCH_ALLOCATOR: process.execve ? allocatorOf('serve') : '{}',
  BENCH_HARVEST_ALLOCATOR: process.execve ? allocatorOf('harvest') : '{}',
  BENCH_SYNC_ALLOCATOR: process.execve ? allocatorOf('sync') : '{}',
  BENCH_WORK_HEAP_FLAGS: flagsOf('--role=work'),
  BENCH_WEB_HEAP_FLAGS: flagsOf('--role=web'),
  BENCH_WORK_ALLOCATOR: allocatorOf('--role=work'),
  BENCH_WEB_ALLOCATOR: allocatorOf('--role=web'),
  BENCH_PROGRAM: program,
};
/** What this one measures are milliseconds of a server: it has itself to collect little at a time. */
const ownFlags = name === 'serve' ? ['--max-semi-space-size=4'] : [];
process.exit(
  spawnSync(process.execPath, [...ownFlags, file, ...rest], { stdio: 'inherit', env }).status ?? 1,
);
