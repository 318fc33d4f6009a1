import type { Command } from 'commander';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandNode, commandsOf, treeOf } from './command-tree.ts';
import { examplesOf } from './examples.ts';

/** `rsbridge.1`, of the same commands that the help is of. */
export function manPage(program: Command): string {
  const { description, options } = treeOf(program);
  return [
    '.TH RSBRIDGE 1 "" "resourcesync-bridge" "User Commands"',
    // Names of files and commands are not broken.
    '.nh',
    ...['.SH NAME', `rsbridge \\- ${text(lowerFirst(description))}`],
    ...['.SH SYNOPSIS', '.B rsbridge', '.I command', '.RI [ arguments ]', '.RI [ options ]'],
    ...['.SH DESCRIPTION', text(description)],
    'Results go to standard output, talk to standard error.',
    'Every command but',
    '.B demo',
    'and',
    '.B validate',
    'reads',
    '.IR rsbridge.yaml ,',
    'or what',
    '.B \\-\\-config',
    'or RSBRIDGE_CONFIG names.',
    '.SH OPTIONS',
    ...options.flatMap(optionLines),
    '.SH COMMANDS',
    ...commandsOf(program).flatMap(commandLines),
    '.SH EXIT STATUS',
    ...Object.entries(exitCodes).flatMap(([name, code]) => [
      '.TP',
      `.B ${code}`,
      text(meanings[name as Meaning]),
    ]),
    '.SH FILES',
    ...['.TP', '.I rsbridge.yaml', 'The configuration; docs/configuration.md explains every key.'],
    '.SH SEE ALSO',
    'The pages below docs in the package; docs/commands.md says more of each command.',
    '',
  ].join('\n');
}

type Meaning = keyof typeof exitCodes;

const meanings: Readonly<Record<Meaning, string>> = {
  ok: 'It is done, or there was nothing to do.',
  internal: 'A mistake of ours, or of the system.',
  usage: 'What was typed, or the configuration, is wrong.',
  upstream: 'A repository, or whoever a message went to, did not answer as it should.',
  needsAttention: 'It is done as far as it could be; a person should look.',
  busy: 'Another process is at work.',
  storage: 'The database, the disk or the object storage does not work.',
  interrupted: 'It was stopped, by Ctrl-C or by its service manager.',
};

function commandLines(node: CommandNode): readonly string[] {
  const places = node.arguments.map((place) => {
    const name = `\\fI${text(place.name())}\\fR${place.variadic ? '...' : ''}`;
    return place.required ? name : `[${name}]`;
  });
  return [
    `.SS rsbridge ${[text(node.words.join(' ')), ...places].join(' ')}`,
    text(sentence(node.description)),
    ...node.options.filter(({ long }) => long !== '--help').flatMap(optionLines),
    ...examplesOf(node).flatMap(([typed, why]) => [
      '.P',
      `${text(sentence(why))}`,
      '.RS',
      '.nf',
      text(typed),
      '.fi',
      '.RE',
    ]),
  ];
}

function optionLines({
  flags,
  description,
  defaultValue,
}: CommandNode['options'][number]): readonly string[] {
  const isTold = defaultValue !== undefined && defaultValue !== false && defaultValue !== true;
  const preset = isTold ? ` (default: ${String(defaultValue)})` : '';
  return ['.TP', `.B ${text(flags)}`, text(`${sentence(description)}${preset}`)];
}

/** What roff would take for a command, or for something else than it is. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll("'", '\\(aq')
    .replaceAll('…', '...')
    .replaceAll('’', '\\(cq')
    .replace(/^\./, '\\&.');
}

function sentence(plain: string): string {
  const first = plain.slice(0, 1).toUpperCase();
  return `${first}${plain.slice(1)}${/[.)]$/.test(plain) ? '' : '.'}`;
}

function lowerFirst(plain: string): string {
  return `${plain.slice(0, 1).toLowerCase()}${plain.slice(1)}`.replace(/\.$/, '');
}
