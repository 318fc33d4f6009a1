import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { toIso } from '../../core/datetime.ts';
import { describeError } from '../../core/errors.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { CommandIo } from '../terminal/io.ts';
import { printable, shortened } from '../terminal/terminal-text.ts';

export interface WatchSettings {
  readonly seconds: number;
  readonly json: boolean;
}

/** The cursor at the top, and nothing below it. */
const fresh = '\u001b[H\u001b[2J';
const usualRows = 24;

/**
 * The same again and again until Ctrl-C: on a terminal in place of what was there, as much as fits; else one block below the
 * other, with its time. With `json` there is nothing between the objects. A look that fails is told of, and the next one comes.
 * @param look writes what it has to say to the `stdout` that it is given
 * @returns the exit code: that it was ended is no failure
 */
export async function watch(
  look: (io: CommandIo) => Promise<number>,
  { seconds, json }: WatchSettings,
  io: CommandIo,
): Promise<number> {
  const { stdout, stop, env } = io;
  const isScreen = stdout.isTTY === true && env.TERM !== 'dumb' && !json;
  const every = `every ${seconds} s; Ctrl-C ends it`;
  for (let first = true; !stop.aborted; first = false) {
    const text = await collect(look, io, first);
    const head = `${toIso(new Date())}, ${every}`;
    if (json) stdout.write(text);
    else if (isScreen) stdout.write(`${fresh}${fitting(`${head}\n\n${text}`, stdout)}`);
    else stdout.write(`${first ? '' : '\n'}${head}\n${text}`);
    await pause(seconds * 1000, undefined, { signal: stop }).catch(() => undefined);
  }
  return exitCodes.ok;
}

/** What is wrong with the first look (no configuration, say) is wrong with all. */
async function collect(
  look: (io: CommandIo) => Promise<number>,
  io: CommandIo,
  isFirst: boolean,
): Promise<string> {
  let text = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  try {
    await look({ ...io, stdout });
  } catch (error) {
    if (isFirst) throw error;
    text += `${printable(describeError(error))}\n`;
  }
  return text;
}

/** As many lines as the window has, none of them longer than it is wide. */
function fitting(text: string, { rows = usualRows, columns }: CommandIo['stdout']): string {
  const lines = text.trimEnd().split('\n');
  const shown = columns === undefined ? lines : lines.map((line) => shortened(line, columns - 1));
  if (shown.length < rows) return `${shown.join('\n')}\n`;
  const left = lines.length - (rows - 2);
  return `${shown.slice(0, rows - 2).join('\n')}\n… ${left} more lines\n`;
}
