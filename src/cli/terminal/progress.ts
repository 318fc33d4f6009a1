import { performance } from 'node:perf_hooks';
import type { Writable } from 'node:stream';
import type { CommandIo } from './io.ts';
import { progressLine, type Stage } from './progress-line.ts';
import { createPaint, printable } from './terminal-text.ts';

/** What is under way, while it is: a bar for each on a terminal, else a plain line every ten seconds. */
export interface Progress {
  /** To be used for everything else that is said meanwhile: such lines stand above the bars. */
  readonly io: CommandIo;
  /**
   * @param key a later stage of the same key takes its place
   * @param plain what is said where no bar can be drawn; without it nothing is
   */
  show(key: string, stage: Omit<Stage, 'startedAt'>, plain?: () => string): void;
  /** This is through: its line goes. */
  remove(key: string): void;
  /** Leaves the terminal as found. */
  end(): void;
}

export interface ProgressOptions {
  readonly json?: boolean | undefined;
  readonly now?: (() => number) | undefined;
}

const quietMs = 10_000;
const frameMs = 100;
/** What is there is drawn again this often, whoever may have written over it. */
const refreshMs = 1_000;

/**
 * Between two writes the cursor is at the beginning of the first bar, and is never hidden. So whoever writes wipes what
 * is below it, and nothing has to be given back when the process is ended in between.
 */
const wipe = '\r\u001b[J';

/** For what is said past the stream of a command: it begins on a line of its own, in place of the bars. */
export function freshLine(stream: CommandIo['stderr'], env: CommandIo['env']): string {
  return isDrawable(stream, env) ? wipe : '\n';
}

export function createProgress(
  io: CommandIo,
  { json = false, now = () => performance.now() }: ProgressOptions = {},
): Progress {
  return !json && isDrawable(io.stderr, io.env) ? new Bars(io, now) : createPlainLines(io, now);
}

function isDrawable(stream: CommandIo['stderr'], env: CommandIo['env']): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb';
}

function createPlainLines(io: CommandIo, now: () => number): Progress {
  let saidAt = now();
  return {
    io,
    show(_key, _stage, plain) {
      if (!plain || now() - saidAt < quietMs) return;
      saidAt = now();
      io.stderr.write(`${plain()}\n`);
    },
    remove: () => undefined,
    end: () => undefined,
  };
}

class Bars implements Progress {
  readonly io: CommandIo;
  readonly #stderr: CommandIo['stderr'];
  readonly #now: () => number;
  readonly #paint;
  readonly #stages = new Map<string, Stage>();
  #timer: NodeJS.Timeout | undefined;
  /** What is on the terminal now. */
  #drawn = '';
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(io: CommandIo, now: () => number) {
    const hide = () => this.#hide();
    this.io = { ...io, stdout: after(hide, io.stdout), stderr: after(hide, io.stderr) };
    this.#stderr = io.stderr;
    this.#now = now;
    this.#paint = createPaint({ ...io, stdout: io.stderr });
  }

  show(key: string, stage: Omit<Stage, 'startedAt'>): void {
    const known = this.#stages.get(key);
    const goesOn = known && isSameWork(known, stage) && known.done <= stage.done;
    const startedAt = goesOn ? known.startedAt : this.#now();
    this.#stages.set(key, { ...stage, startedAt });
    this.#timer ??= setInterval(() => this.#draw(), frameMs).unref();
    this.#draw();
  }

  remove(key: string): void {
    if (!this.#stages.delete(key)) return;
    if (this.#stages.size === 0) this.end();
    else this.#draw();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stages.clear();
    this.#hide();
  }

  #hide(): void {
    if (this.#drawn !== '') this.#stderr.write(wipe);
    this.#drawn = '';
  }

  #draw(): void {
    const now = this.#now();
    const sinceMs = now - this.#drawnAt;
    if (sinceMs < frameMs || this.#stages.size === 0) return;
    const { columns, rows } = this.#stderr;
    const [width, most] = [(columns || 80) - 1, Math.max(1, (rows || 24) - 1)];
    const stages = [...this.#stages.values()].slice(0, most);
    const labels = stages.map(({ label }) => printable(label));
    const longest = Math.max(...labels.map(({ length }) => length));
    const lines = stages.map((stage, index) =>
      progressLine({ ...stage, label: labels[index]?.padEnd(longest) ?? '' }, now, width, this.#paint),
    );
    const frame = lines.map((line) => `\r${line}\u001b[K`).join('\n');
    if (frame === this.#drawn && sinceMs < refreshMs) return;
    this.#drawnAt = now;
    this.#drawn = frame;
    const up = lines.length > 1 ? `\u001b[${lines.length - 1}A` : '';
    this.#stderr.write(`${frame}\u001b[J${up}\r`);
  }
}

function isSameWork(a: Omit<Stage, 'startedAt'>, b: Omit<Stage, 'startedAt'>): boolean {
  return a.label === b.label && a.noun === b.noun && a.deed === b.deed;
}

/** The same stream, where something is done before each write. */
function after<Stream extends Writable>(first: () => void, stream: Stream): Stream {
  const write = (...chunk: readonly unknown[]) => {
    first();
    return Reflect.apply(stream.write, stream, chunk);
  };
  return new Proxy(stream, {
    get: (target, key) => {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
