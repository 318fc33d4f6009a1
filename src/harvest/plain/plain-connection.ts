import type { Socket } from 'node:net';
import { errors } from 'undici';

/** Whoever takes what comes over a connection. */
export interface Taker {
  /** Where the next octets are to be put; not empty. */
  room(): Uint8Array;
  /** @returns false: nothing more is to come before `resume` */
  took(octets: number): boolean;
  /** Nothing more will come. */
  broke(error: Error): void;
}

/** A connection that reads straight into the memory of who takes what comes. */
export class PlainConnection {
  /** Nothing has come over it that was not asked for, and another request may follow. */
  isUsable = true;
  #socket: Socket | undefined;
  #taker: Taker | undefined;
  #isPaused = false;
  readonly #nowhere = new Uint8Array(1);

  /** For `net.connect`. */
  readonly onread = {
    buffer: (): Uint8Array => this.#taker?.room() ?? this.#nowhere,
    callback: (octets: number): boolean => {
      if (!this.#taker) {
        this.end();
        return false;
      }
      const mayGoOn = this.#taker.took(octets);
      this.#isPaused = !mayGoOn;
      return mayGoOn;
    },
  };

  /** @param timeoutMs of silence, while something is expected */
  attach(socket: Socket, timeoutMs: number): void {
    this.#socket = socket;
    socket.setTimeout(timeoutMs);
    socket.on('timeout', () => {
      if (!this.#isPaused) this.#broke(new errors.BodyTimeoutError());
    });
    socket.on('error', (error) => this.#broke(error));
    socket.on('end', () => this.#broke(new errors.SocketError('other side closed')));
    socket.on('close', () => this.#broke(new errors.SocketError('other side closed')));
  }

  /** Everything that comes from now on is for `taker`; undefined: nothing is expected. */
  handTo(taker: Taker | undefined): void {
    this.#taker = taker;
    this.#isPaused = false;
    if (taker) this.#socket?.ref();
    else this.#socket?.unref();
  }

  write(request: string): void {
    this.#socket?.write(request, 'latin1');
  }

  resume(): void {
    if (!this.#isPaused || !this.#socket) return;
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
