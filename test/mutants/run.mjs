// `npm run mutants -- ROOM [SHARE [SEED]]`: CONTRIBUTING.md says how, and what came of it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDrawn } from './draw.mjs';

const [room, share = '1', seed = 'a'] = process.argv.slice(2);
const root = join(import.meta.dirname, '..', '..');
const packages = '@stryker-mutator/core@9 @stryker-mutator/vitest-runner@9';
const temporary = 'dist/mutants';

if (room === undefined || !existsSync(join(root, room)) || !(Number(share) > 0)) {
  fail('Write: npm run mutants -- ROOM [SHARE [SEED]], as in: npm run mutants -- src/core 0.05 monday');
}
const stryker = stryker9();
const draw = { share: Number(share), seed };

// The copy of the checkout that Stryker works on looks for the shared files beside itself.
mkdirSync(join(root, temporary), { recursive: true });
const shared = join(root, '..', 'shared');
const link = join(root, temporary, 'shared');
if (existsSync(shared) && !existsSync(link)) symlinkSync(shared, link, 'junction');

const tests = room.startsWith('src/') ? room.replace('src/', 'test/') : `test/${room}`;
const mutate = room.endsWith('.ts') ? room : `${room}/**/*.ts`;
const child = spawn(process.execPath, [stryker, 'run', 'test/mutants/stryker.json', '--mutate', mutate], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    MUTANTS_TESTS: process.env.MUTANTS_TESTS ?? tests,
    MUTANTS_DRAW: JSON.stringify(draw),
  },
});
child.on('exit', (code) => {
  if (code === 0) report();
  else process.exitCode = 1;
});

function report() {
  const { files } = JSON.parse(readFileSync(join(root, temporary, 'report.json'), 'utf8'));
  const drawn = Object.entries(files).flatMap(([fileName, { mutants }]) =>
    mutants
      .filter(({ status }) => ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status))
      .filter((mutant) => isDrawn({ ...mutant, fileName, location: fromZero(mutant.location) }, draw))
      .map((mutant) => ({ ...mutant, fileName })),
  );
  const survivors = drawn.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  for (const { fileName, location, status, mutatorName, replacement } of survivors) {
    print(
      `${fileName}:${location.start.line}:${location.start.column} ${status} ${mutatorName}: ${replacement}`,
    );
  }
  const killed = drawn.length - survivors.length;
  print(`${room}: ${killed} of ${drawn.length} killed, ${((100 * killed) / drawn.length).toFixed(1)} %`);
}

function fromZero({ start, end }) {
  const shift = ({ line, column }) => ({ line: line - 1, column: column - 1 });
  return { start: shift(start), end: shift(end) };
}

/** It is no dependency: whoever looks for mutants installs it beside the others, and the lockfile stays as it is. */
function stryker9() {
  try {
    return join(createRequire(import.meta.url).resolve('@stryker-mutator/core'), '../../../bin/stryker.js');
  } catch {
    return fail(`Stryker is not installed. Type: npm install --no-save ${packages}`);
  }
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
