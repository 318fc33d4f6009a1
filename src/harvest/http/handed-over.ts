import { type IncomingMessage, request } from 'node:http';
import { Duplex } from 'node:stream';
import type { PlainConnection, Taker } from './plain-connection.ts';

/** Landing pages may carry many links in their headers. */
const maxHeaderSize = 131_072;

/**
 * A response that is not of the simplest kind, read by Node's own parser: it is given what came and what comes, and
 * believes that it sent the request itself.
 */
export function handOver(connection: PlainConnection, came: Uint8Array): Promise<IncomingMessage> {
  const wire = new Wire(connection, came);
  connection.handTo(wire);
  return new Promise((resolve, reject) => {
    const asking = request({ createConnection: () => wire, maxHeaderSize });
    asking.once('response', resolve);
    asking.once('error', reject);
    asking.end();
  });
}

class Wire extends Duplex implements Taker {
  readonly #connection: PlainConnection;

  constructor(connection: PlainConnection, came: Uint8Array) {
    super();
    this.#connection = connection;
    this.push(Buffer.from(came));
  }

  took(bytes: Uint8Array): boolean {
    return this.push(Buffer.from(bytes));
  }

  broke(error: Error): void {
    // The end of the connection may be the end of the body: the parser knows.
    if ((error as { code?: unknown }).code === 'UND_ERR_SOCKET') this.push(null);
    else this.destroy(error);
  }

  override _read(): void {
    this.#connection.resume();
  }

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#connection.end();
    done(error);
  }
}
