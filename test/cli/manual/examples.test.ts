import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createProgram } from '../../../src/cli/main.ts';
import { commandsOf } from '../../../src/cli/manual/command-tree.ts';
import { examples, examplesOf } from '../../../src/cli/manual/examples.ts';
import { runMain } from '../../house/cli/run-main.ts';

const never = new AbortController().signal;
const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
const program = createProgram(
  { stdout: sink, stderr: sink, env: {}, cwd: '/', stop: never, abort: never },
  () => undefined,
);
const commands = commandsOf(program);

test('every command has an example, and no example is of a command that is not there', () => {
  expect(
    commands.filter((node) => examplesOf(node).length === 0).map(({ words }) => words.join(' ')),
  ).toEqual([]);
  const known = commands.map(({ words }) => words.join(' '));
  expect(Object.keys(examples).filter((words) => !known.includes(words))).toEqual([]);
});

test.each(commands.map((node) => [node.words.join(' '), node] as const))(
  'the examples of %s can be typed',
  (words, node) => {
    for (const [typed] of examplesOf(node)) {
      expect(typed.startsWith(`rsbridge ${words}`)).toBe(true);
      const [own = ''] = typed.split(/ [|>] /);
      const rest = (own.slice(`rsbridge ${words}`.length).match(/"[^"]*"|\S+/g) ?? []).map((word) => word);
      const flags = rest.filter((word) => word.startsWith('-'));
      const options = flags.map((flag) =>
        node.options.find(({ long, short }) => long === flag || short === flag),
      );
      expect([typed, options.every((option) => option !== undefined)]).toEqual([typed, true]);
      // A value behind an option that takes one, and arguments for all places that want one.
      const taken = options.filter((option, index) => {
        const next = rest[rest.indexOf(flags[index] ?? '') + 1];
        return option?.required || (option?.optional && next !== undefined && !next.startsWith('-'));
      }).length;
      const places = rest.length - flags.length - taken;
      const isVariadic = node.arguments.some(({ variadic }) => variadic);
      expect([typed, places >= node.arguments.filter(({ required }) => required).length]).toEqual([
        typed,
        true,
      ]);
      expect([typed, isVariadic || places <= node.arguments.length]).toEqual([typed, true]);
    }
  },
);

test('they stand in the help of the command', async () => {
  const { stdout } = await runMain('/', ['admin', 'tokens', 'add', '--help']);
  expect(stdout).toContain('Examples:\n  rsbridge admin tokens add monitor --scope read --days 365\n');
});

test('the help of the program, and of a command with others below it, has examples, too', async () => {
  const { stdout: sources } = await runMain('/', ['sources', '--help']);
  expect(sources).toMatch(/Examples:\n {2}rsbridge sources list\n(?:.|\n)*rsbridge sources import /);
  const { stdout: tokens } = await runMain('/', ['admin', 'tokens', '--help']);
  expect(tokens).toContain('  rsbridge admin tokens add monitor --scope read --days 365\n');
  expect(tokens).not.toContain('rsbridge admin password');
  const { stdout } = await runMain('/', ['--help']);
  expect(stdout).toMatch(/Examples:\n {2}rsbridge demo (?:.|\n)*rsbridge serve\n(?:.|\n)*rsbridge doctor\n/);
});
