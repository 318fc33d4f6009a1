// `npm run bench NAME [ARGUMENTS]`: runs a benchmark from compiled code, as users run ours.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import launcher from '../../src/launcher/heap-flags.cjs';

const [name, ...rest] = process.argv.slice(2);
const file = join(import.meta.dirname, '..', '..', 'dist', 'bench', 'test', 'bench', `${name}.js`);
const flags = launcher.heapFlags(process.versions.node, process.env.NODE_OPTIONS ?? '');
const env = { ...process.env, BENCH_HEAP_FLAGS: flags.join(' ') };
process.exit(spawnSync(process.execPath, [file, ...rest], { stdio: 'inherit', env }).status ?? 1);
