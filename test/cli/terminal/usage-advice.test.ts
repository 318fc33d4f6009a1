import { expect, test } from 'vitest';
import { runMain } from '../../house/cli/run-main.ts';

const run = (...args: string[]) => runMain('/', args);

test.each([
  [['--config', 'X', 'status'], 'Options come after the command: rsbridge status --config X'],
  [['--json', 'harvest', 'repo'], 'Options come after the command: rsbridge harvest --json repo'],
  [['--nonsense'], '`rsbridge --help` lists the commands.'],
  [['statsu'], '(Did you mean status?)\n`rsbridge --help` lists the commands.'],
  [['history'], 'Type: rsbridge history URI [options]\n`rsbridge history --help` explains'],
  [['history', 'a', 'b'], 'Type: rsbridge history URI [options]'],
  [['restore'], 'Type: rsbridge restore URI|FILE [options]'],
  [['problems', '--rww'], '(Did you mean --raw?)\nType: rsbridge problems [SOURCE] [options]'],
  [['harvest', '--limit', 'x'], 'Type: rsbridge harvest [SOURCES …] [options]'],
])('%j is told what to type', async (args, advice) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^error: /);
  expect(stderr).toContain(advice);
});

test('what is asked for is not taken for an error', async () => {
  for (const args of [['--version'], ['history', '--help']]) {
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }
});
