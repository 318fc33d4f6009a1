// `npm run bench NAME [ARGUMENTS]`: runs a benchmark from compiled code, and `rsbridge` as users run it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import launcher from '../../src/launcher/heap-flags.cjs';

const [name, ...rest] = process.argv.slice(2);
const dist = join(import.meta.dirname, '..', '..', 'dist');
const file = join(dist, 'bench', 'test', 'bench', `${name}.js`);
/** As the launcher gives them. */
const flagsOf = (...args) =>
  launcher.heapFlags(process.versions.node, process.env.NODE_OPTIONS ?? '', args).join(' ');
const allocatorOf = (...args) => JSON.stringify(launcher.allocatorSettings(process.env, args));
const program = join(dist, 'program', 'bin.js');
const env = {
  ...process.env,
  BENCH_HEAP_FLAGS: flagsOf(),
  BENCH_SYNC_HEAP_FLAGS: flagsOf('sync'),
  // Of an older Node the launcher cannot start it anew.
  BENCH_ALLOCATOR: process.execve ? allocatorOf('harvest') : '{}',
  BENCH_SYNC_ALLOCATOR: process.execve ? allocatorOf('sync') : '{}',
  BENCH_WORK_HEAP_FLAGS: flagsOf('--role=work'),
  BENCH_WEB_HEAP_FLAGS: flagsOf('--role=web'),
  BENCH_WORK_ALLOCATOR: allocatorOf('--role=work'),
  BENCH_WEB_ALLOCATOR: allocatorOf('--role=web'),
  BENCH_PROGRAM: program,
};
process.exit(spawnSync(process.execPath, [file, ...rest], { stdio: 'inherit', env }).status ?? 1);
