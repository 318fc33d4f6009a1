import type { Command } from 'commander';
import { type CommandNode, flat, isPath, operandOf, placeholderOf, treeOf } from './command-tree.ts';
import type { Shell } from './shells.ts';

/** What a shell reads to complete what is typed: of the same commands that the help is of. */
export function completionFor(shell: Shell, program: Command): string {
  const root = treeOf(program);
  return { bash, zsh, fish }[shell](root);
}

interface Choices {
  readonly words: readonly string[];
  readonly paths: boolean;
}

/** What may stand behind the words of a command, but for options. */
function argumentsOf({ children, arguments: places }: CommandNode): Choices {
  if (children.length > 0) return { words: children.map(({ words }) => words.at(-1) ?? ''), paths: false };
  return {
    words: places.flatMap(({ argChoices = [] }) => argChoices),
    paths: places.some((place) => isPath(place.name())),
  };
}

function flagsOf({ options }: CommandNode): readonly string[] {
  return options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined));
}

/** Options behind which something has to stand, with what may stand there. */
function valuesOf({ options }: CommandNode): readonly (Choices & { readonly flags: readonly string[] })[] {
  return options.flatMap((option) => {
    const value = operandOf(option);
    if (!value?.isNeeded) return [];
    const flags = [option.short, option.long].filter((flag) => flag !== undefined);
    return [{ flags, words: value.choices, paths: isPath(placeholderOf(option)) }];
  });
}

function bash(root: CommandNode): string {
  const nodes = flat(root);
  const cases = nodes.map((node) => {
    const { words, paths } = argumentsOf(node);
    const values = valuesOf(node).map(
      ({ flags, words: choices, paths: isFile }) =>
        `        ${flags.join('|')}) words='${choices.join(' ')}'; paths=${isFile ? 1 : 0}; return ;;`,
    );
    return [
      `    '${node.words.join(' ')}')`,
      ...(values.length > 0 ? [`      case "$2" in`, ...values, '      esac'] : []),
      `      flags='${flagsOf(node).join(' ')}'; words='${words.join(' ')}'; paths=${paths ? 1 : 0} ;;`,
    ].join('\n');
  });
  const groups = nodes.filter(({ children }) => children.length > 0);
  const known = groups.flatMap(({ children }) => children.map(({ words }) => `'${words.join(' ')}'`));
  return `# bash completion for rsbridge; made by \`rsbridge completion bash\`
_rsbridge_known() {
  case "$1" in
    ${known.join('|')}) return 0 ;;
  esac
  return 1
}
# $1: the words of a command; $2: what was typed last.
_rsbridge_of() {
  flags=''; words=''; paths=0
  case "$1" in
${cases.join('\n')}
  esac
}
_rsbridge() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command='' next flags words paths index
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${command:+$command }\${COMP_WORDS[index]}"
    _rsbridge_known "$next" || continue
    command="$next"
  done
  _rsbridge_of "$command" "$previous"
  COMPREPLY=()
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *)
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      if [ "$paths" = 1 ]; then COMPREPLY+=($(compgen -f -- "$current")); fi
      ;;
  esac
}
complete -o filenames -F _rsbridge rsbridge
`;
}

function zsh(root: CommandNode): string {
  const functions = flat(root).map((node) => {
    const options = node.options.map((option) => zshOption(option));
    const { words, paths } = argumentsOf(node);
    const name = `_rsbridge${node.words.map((word) => `_${word}`).join('')}`;
    if (node.children.length > 0) {
      const described = node.children.map(
        (child) => `    ${quoted(`${child.words.at(-1)}:${child.description.replaceAll(':', '\\:')}`)}`,
      );
      const cases = node.children.map(({ words: inner }) => {
        const last = inner.at(-1);
        return `      ${last}) _rsbridge${inner.map((word) => `_${word}`).join('')} ;;`;
      });
      return `${name}() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  local -a commands
  commands=(
${described.join('\n')}
  )
  _arguments -C ${options.join(' ')} '1: :->command' '*:: :->rest'
  case "$state" in
    command) _describe command commands ;;
    rest) case "$words[1]" in
${cases.join('\n')}
    esac ;;
  esac
}`;
    }
    const places = words.length > 0 ? [`'*: :(${words.join(' ')})'`] : paths ? [`'*: :_files'`] : [];
    return `${name}() {
  _arguments ${[...options, ...places].join(' ')}
}`;
  });
  return `#compdef rsbridge
# zsh completion for rsbridge; made by \`rsbridge completion zsh\`
${functions.join('\n')}
compdef _rsbridge rsbridge
# Read by fpath, it is called at once.
if [ "$funcstack[1]" = _rsbridge ]; then _rsbridge "$@"; fi
`;
}

function zshOption(option: CommandNode['options'][number]): string {
  const value = operandOf(option);
  const text = option.description.replace(/[[\]:]/g, '\\$&');
  const choices =
    value && value.choices.length > 0
      ? `(${value.choices.join(' ')})`
      : isPath(placeholderOf(option))
        ? '_files'
        : '';
  const place = value ? `:${placeholderOf(option).replaceAll(':', '')}:${choices}` : '';
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  return flags.map((flag) => quoted(`${flag}[${text}]${value?.isNeeded ? place : ''}`)).join(' ');
}

function fish(root: CommandNode): string {
  const lines = flat(root).flatMap((node) => {
    const at = condition(node.words, node.children);
    const below = node.children.map(
      (child) =>
        `complete -c rsbridge -n ${at.before} -a ${child.words.at(-1)} -d ${quoted(child.description)}`,
    );
    const { words } = argumentsOf(node);
    const places =
      node.children.length === 0 && words.length > 0
        ? [`complete -c rsbridge -n ${at.behind} -a ${quoted(words.join(' '))}`]
        : [];
    const options = node.options.map((option) => {
      const value = operandOf(option);
      return [
        `complete -c rsbridge -n ${at.behind}`,
        ...(option.short ? [`-s ${option.short.slice(1)}`] : []),
        ...(option.long ? [`-l ${option.long.slice(2)}`] : []),
        ...(value?.isNeeded ? [isPath(placeholderOf(option)) ? '-r -F' : '-x'] : []),
        ...(value && value.choices.length > 0 ? [`-a ${quoted(value.choices.join(' '))}`] : []),
        `-d ${quoted(option.description)}`,
      ].join(' ');
    });
    return [...below, ...places, ...options];
  });
  return `# fish completion for rsbridge; made by \`rsbridge completion fish\`
complete -c rsbridge -f
${lines.join('\n')}
`;
}

function condition(
  words: readonly string[],
  children: readonly CommandNode[],
): { readonly before: string; readonly behind: string } {
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const names = children.map((child) => child.words.at(-1)).join(' ');
  const none = words.length === 0 ? '__fish_use_subcommand' : `not __fish_seen_subcommand_from ${names}`;
  const behind = seen.length === 0 ? 'true' : seen.join('; and ');
  return { before: quoted([...seen, none].join('; and ')), behind: quoted(behind) };
}

/** As all three of them quote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
