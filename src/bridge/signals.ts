import type { EventEmitter } from 'node:events';
import { forCrowd } from '../core/either-signal.ts';

/** What the process is told from outside, as commands see it. */
export interface Signals {
  /** The first SIGINT or SIGTERM: finish what is under way. */
  readonly stop: AbortSignal;
  /** The second, or a SIGTERM that was not obeyed in time: stop now. */
  readonly abort: AbortSignal;
  /** As if nobody listened: for work that does not let us listen. */
  deaf<Result>(work: () => Promise<Result>): Promise<Result>;
  release(): void;
}

export interface SignalDeps {
  readonly process: Pick<EventEmitter, 'on' | 'off'>;
  readonly exit: (code: number) => void;
  /** Told when a person, or a service manager, has asked for something. */
  readonly heard: (signal: NodeJS.Signals) => void;
  readonly patience?: Partial<Patience>;
}

export interface Patience {
  /** From SIGTERM until what is under way is broken off; service managers kill after 90 seconds, some after 30. */
  readonly stopMs: number;
  /** From breaking off until the end, whatever still hangs. */
  readonly abortMs: number;
  /** The same after a second signal: somebody waits. */
  readonly nowMs: number;
}

const defaults: Patience = { stopMs: 18_000, abortMs: 7000, nowMs: 1000 };
const exitCode = 130;

let current: Signals | undefined;

/**
 * SIGHUP never ends anything: it comes when a terminal closes, and from those who want a changed configuration to be
 * read.
 */
export function catchSignals({ process, exit, heard, patience }: SignalDeps): Signals {
  const { stopMs, abortMs, nowMs } = { ...defaults, ...patience };
  const [stop, abort] = [new AbortController(), new AbortController()];

  function breakOff(reason: string, exitMs: number): void {
    abort.abort(new Error(reason));
    setTimeout(() => exit(exitCode), exitMs).unref();
  }

  function interrupt(signal: NodeJS.Signals): void {
    heard(signal);
    if (stop.signal.aborted) breakOff(`second ${signal}`, nowMs);
    else {
      stop.abort(new Error(signal));
      if (signal === 'SIGTERM') setTimeout(() => breakOff('SIGTERM, a while ago', abortMs), stopMs).unref();
    }
  }

  const endings = ['SIGINT', 'SIGTERM'] as const;
  const listen = () => {
    for (const signal of endings) process.on(signal, interrupt);
  };
  const unlisten = () => {
    for (const signal of endings) process.off(signal, interrupt);
  };
  listen();
  process.on('SIGHUP', heard);
  current = {
    stop: forCrowd(stop.signal),
    abort: forCrowd(abort.signal),
    deaf: async (work) => {
      unlisten();
      try {
        return await work();
      } finally {
        listen();
      }
    },
    release: unlisten,
  };
  return current;
}

/**
 * A statement of SQLite holds the only thread, for minutes perhaps when a large database is brought to a new
 * schema. A signal ends the process at once meanwhile; the transaction is rolled back by whoever opens it next.
 */
export function dieBySignals<Result>(work: () => Promise<Result>): Promise<Result> {
  return current ? current.deaf(work) : work();
}
