import type { Readable, Writable } from 'node:stream';

/** Everything a command touches of the process it runs in; tests hand in their own. */
export interface CommandIo {
  /** Results. */
  readonly stdout: Writable & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  /** Talk: progress, warnings, errors. */
  readonly stderr: Writable & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  /** What somebody types or pipes in; undefined: nothing. */
  readonly stdin?: Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** First Ctrl-C: finish the page. */
  readonly stop: AbortSignal;
  /** Second Ctrl-C: stop now. */
  readonly abort: AbortSignal;
  /** Has SIGHUP do this, in place of nothing. */
  readonly onHangup?: (listener: () => void) => void;
}

/** One line of a result: NDJSON with `--json`, else for people. */
export function printResult(io: CommandIo, json: boolean, data: object, text: string): void {
  io.stdout.write(`${json ? JSON.stringify(data) : text}\n`);
}

export function say(io: CommandIo, text: string): void {
  io.stderr.write(`${text}\n`);
}
