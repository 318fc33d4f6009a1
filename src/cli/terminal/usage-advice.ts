import type { Command } from 'commander';

/** Below an error in the arguments of a command stands how the command is typed. */
export function adviseOnUsage(program: Command, argv: readonly string[]): void {
  for (const command of program.commands) {
    if (command.commands.length === 0) adviseOn(command, 'rsbridge');
    else command.showHelpAfterError(`\`rsbridge ${command.name()} --help\` lists its commands.`);
    for (const inner of command.commands) adviseOn(inner, `rsbridge ${command.name()}`);
  }
  program.showHelpAfterError(optionsBeforeCommand(program, argv) ?? '`rsbridge --help` lists the commands.');
}

function adviseOn(command: Command, before: string): void {
  const name = `${before} ${command.name()}`;
  const typed = [name, ...command.registeredArguments.map(placeOf), '[options]'];
  command.showHelpAfterError(
    `Type: ${typed.join(' ')}\n\`${name} --help\` explains its arguments and options.`,
  );
}

function placeOf(argument: Command['registeredArguments'][number]): string {
  const place = `${argument.name().toUpperCase()}${argument.variadic ? ' …' : ''}`;
  return argument.required ? place : `[${place}]`;
}

/** `rsbridge --config FILE status`: as other programs have it, and as ours does not. */
function optionsBeforeCommand(program: Command, argv: readonly string[]): string | undefined {
  const names = program.commands.map((command) => command.name());
  const at = argv.findIndex((word) => names.includes(word));
  if (at < 1 || !argv[0]?.startsWith('-')) return undefined;
  const typed = ['rsbridge', argv[at], ...argv.slice(0, at), ...argv.slice(at + 1)];
  return `Options come after the command: ${typed.join(' ')}`;
}
