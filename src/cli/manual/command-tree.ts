import type { Argument, Command, Option } from 'commander';

/** A command as the help knows it. */
export interface CommandNode {
  readonly command: Command;
  /** What is typed behind `rsbridge`. */
  readonly words: readonly string[];
  readonly description: string;
  readonly options: readonly Option[];
  readonly arguments: readonly Argument[];
  /** Commands below it, by their words; `[]`: it does something itself. */
  readonly children: readonly CommandNode[];
}

export function treeOf(program: Command): CommandNode {
  return nodeOf(program, []);
}

/** Those that do something, in the order of the help. */
export function commandsOf(program: Command): readonly CommandNode[] {
  return flat(treeOf(program)).filter(({ children }) => children.length === 0);
}

/** The node and all below it. */
export function flat(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(flat)];
}

function nodeOf(command: Command, words: readonly string[]): CommandNode {
  const help = command.createHelp();
  return {
    ...{ command, words, description: command.description(), arguments: command.registeredArguments },
    options: help.visibleOptions(command),
    children: help
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help')
      .map((child) => nodeOf(child, [...words, child.name()])),
  };
}

/** Whether something has to follow it, and what that is. */
export function operandOf(
  option: Option,
): { readonly isNeeded: boolean; readonly choices: readonly string[] } | undefined {
  if (!option.required && !option.optional) return undefined;
  return { isNeeded: option.required, choices: option.argChoices ?? [] };
}

/** A file or directory is meant: shells complete it by themselves. */
export function isPath(name: string): boolean {
  return /^(?:file|dir|uri\|file|url)$/.test(name);
}

/** `--config <file>` → `file`. */
export function placeholderOf(option: Option): string {
  return /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1] ?? '';
}
