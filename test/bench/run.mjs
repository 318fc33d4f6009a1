// `npm run bench NAME [ARGUMENTS]`: runs a benchmark from compiled code, as users run ours.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const [name, ...rest] = process.argv.slice(2);
const file = join(import.meta.dirname, '..', '..', 'dist', 'bench', 'test', 'bench', `${name}.js`);
process.exit(spawnSync(process.execPath, [file, ...rest], { stdio: 'inherit' }).status ?? 1);
