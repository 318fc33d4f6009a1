import type { Socket } from 'node:net';

/**
 * A connection whose end is told to undici only when the body that came is being read. undici asserts that nobody keeps it
 * waiting when a connection ends, and nobody catches that: a whole answer with `Connection: close`, and a reader who
 * takes his time, would end the process.
 */
export function holdEnd(socket: Socket): void {
  const { emit, read } = socket;
  let held: readonly unknown[] | undefined;
  const tell = (name: string, args: readonly unknown[]): boolean =>
    Reflect.apply(emit, socket, [name, ...args]) as boolean;

  function tellEnd(): void {
    // Whoever gave up has closed it.
    if (!held || socket.destroyed || isWaitedFor(socket)) return;
    const args = held;
    held = undefined;
    tell('end', args);
    if (!socket.destroyed) socket.destroySoon();
  }

  // Else it would be closed at its end, whoever is still reading.
  socket.allowHalfOpen = true;
  socket.emit = ((name: string, ...args: readonly unknown[]) => {
    if (name === 'end') {
      held = args;
      tellEnd();
      return true;
    }
    const isReset = name === 'error' && (args[0] as { code?: unknown }).code === 'ECONNRESET';
    return tell(name, isReset && isWaitedFor(socket) ? [brokenOff(args[0])] : args);
  }) as typeof socket.emit;
  // So it goes on, when somebody reads on: at once after that, before another request is sent on this connection.
  socket.read = (size) => {
    if (held) queueMicrotask(tellEnd);
    return Reflect.apply(read, socket, [size]);
  };
}

/** Of this code undici asks nothing more. */
function brokenOff(cause: unknown): Error {
  return Object.assign(new Error('the connection was reset', { cause }), { code: 'UND_ERR_SOCKET' });
}

interface Parser {
  readonly paused?: boolean;
}

/** undici's own reader of the connection, which says so; it is found by its name. */
function isWaitedFor(socket: Socket): boolean {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser = key && (socket as unknown as Record<symbol, Parser | null>)[key];
  return parser?.paused === true;
}
