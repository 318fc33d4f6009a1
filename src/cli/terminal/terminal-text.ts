import type { CommandIo } from './io.ts';

/** What would command a terminal, or turn the direction of what follows. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const known: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text from elsewhere, as it can be shown: what cannot be seen is spelled out. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => known[character] ?? spelled(character));
}

/** JSON for a terminal: it says the same, and commands nothing. */
export function printableJson(data: object): string {
  return JSON.stringify(data).replace(unprintable, spelled);
}

function spelled(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

/** The beginning of a text that is longer than anybody would read in a line. */
export function shortened(text: string, length: number): string {
  // Characters are not cut in two.
  const cut = text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
  return printable(cut);
}

export type Paint = (colour: 'red' | 'green' | 'yellow' | 'dim', text: string) => string;

const codes = { red: 31, green: 32, yellow: 33, dim: 2 } as const;

/** Colours on a terminal that wants them; elsewhere the text alone. */
export function createPaint({ stdout, env }: CommandIo): Paint {
  const { isTTY } = stdout as { readonly isTTY?: boolean };
  if (!isTTY || env.NO_COLOR || env.TERM === 'dumb') return (_, text) => text;
  return (colour, text) => `\u001b[${codes[colour]}m${text}\u001b[0m`;
}
