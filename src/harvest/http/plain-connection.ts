import type { Socket } from 'node:net';
import { errors } from 'undici';

/** Whoever takes what comes over a connection. */
export interface Taker {
  /** Where the next octets are best put; undefined: anywhere. */
  room?(): Uint8Array;
  /**
   * @param bytes good until it returns, and as long as it has returned false
   * @returns false: nothing more is to come before `resume`
   */
  took(bytes: Uint8Array): boolean;
  /** Nothing more will come. */
  broke(error: Error): void;
}

const spareBytes = 16_384;

/** A connection that reads straight into the memory of whoever takes what comes. */
export class PlainConnection {
  isUsable = true;
  #socket: Socket | undefined;
  #taker: Taker | undefined;
  #isPaused = false;
  readonly #spare = Buffer.allocUnsafeSlow(spareBytes);

  /** For `net.connect`; it asks for the room of the next octets as soon as it has given the last. */
  readonly onread = {
    buffer: (): Uint8Array => this.#taker?.room?.() ?? this.#spare,
    callback: (octets: number, buffer: Uint8Array): boolean => {
      if (!this.#taker) {
        // Nothing was asked for: whatever this is, it must not become the answer to the next request.
        this.end();
        return false;
      }
      const mayGoOn = this.#taker.took(buffer.subarray(0, octets));
      this.#isPaused = !mayGoOn;
      return mayGoOn;
    },
  };

  /** @param timeoutMs of silence, while something is expected */
  attach(socket: Socket, timeoutMs: number): void {
    this.#socket = socket;
    socket.setTimeout(timeoutMs);
    socket.on('timeout', () => {
      if (!this.#isPaused) this.#broke(new errors.BodyTimeoutError('nothing came for too long'));
    });
    socket.on('error', (error) => this.#broke(error));
    const closed = () => this.#broke(new errors.SocketError('other side closed'));
    socket.on('end', closed);
    socket.on('close', closed);
  }

  /** Everything that comes from now on is for `taker`, once it says `resume`. */
  handTo(taker: Taker): void {
    this.#taker = taker;
    this.#socket?.ref();
  }

  /** Nothing is expected; what comes nevertheless ends it. */
  rest(): void {
    this.#taker = undefined;
    this.#socket?.unref();
    this.resume();
  }

  write(request: string): void {
    this.#socket?.write(request, 'latin1');
    this.resume();
  }

  resume(): void {
    if (!this.#isPaused || !this.#socket || this.#socket.destroyed) return;
    this.#isPaused = false;
    // From here on silence counts again.
    this.#socket.setTimeout(this.#socket.timeout ?? 0);
    this.#socket.resume();
  }

  end(): void {
    this.isUsable = false;
    this.#taker = undefined;
    this.#socket?.destroy();
  }

  #broke(error: Error): void {
    const taker = this.#taker;
    this.end();
    taker?.broke(error);
  }
}
