import { isBridgeError } from '../../core/errors.ts';
import type { ServerDeps } from '../../server/deps.ts';
import type { FromMember, ProcessMetrics, ToMember } from './messages.ts';

/** The side of a process that answers requests: what it is told by the one that started it, and what it tells that. */
export interface Member {
  /** Aborted when it is to end: it was told to, or the process that started it is gone. */
  readonly stop: AbortSignal;
  readonly processes: NonNullable<ServerDeps['processes']>;
  onReload(listener: () => void): void;
  tell(message: FromMember): void;
  fail(error: unknown): void;
  /** Nothing more is said. */
  leave(): void;
}

export function joinCrew(number: number): Member {
  const stop = new AbortController();
  const waiting = new Map<number, (metrics: readonly ProcessMetrics[]) => void>();
  let offered: (() => Promise<ProcessMetrics>) | undefined;
  let reload: (() => void) | undefined;
  let ids = 0;
  const tell = (message: FromMember) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
  };
  process.on('message', async (message: ToMember) => {
    if (message.kind === 'stop') stop.abort(new Error('told to stop'));
    else if (message.kind === 'reload') reload?.();
    else if (message.kind === 'gathered') waiting.get(message.id)?.(message.metrics);
    else if (message.kind === 'tell')
      tell({ kind: 'metrics', id: message.id, metrics: (await offered?.()) ?? [] });
  });
  process.once('disconnect', () => stop.abort(new Error('the process that started this one is gone')));
  return {
    stop: stop.signal,
    processes: {
      number,
      offer: (read) => {
        offered = read;
      },
      gather: () =>
        new Promise((resolve) => {
          ids += 1;
          const id = ids;
          waiting.set(id, (metrics) => {
            waiting.delete(id);
            resolve(metrics);
          });
          tell({ kind: 'gather', id });
        }),
    },
    onReload: (listener) => {
      reload = listener;
    },
    tell,
    fail: (error) =>
      tell({
        kind: 'failed',
        code: isBridgeError(error) ? error.code : undefined,
        message: error instanceof Error ? error.message : String(error),
      }),
    leave: () => {
      if (process.connected) process.disconnect();
    },
  };
}
