/** One message to the thread. */
const pieceBytes = 65_536;
/** Beyond that the network waits. */
const mostUnread = 262_144;

/**
 * The bytes of a body on their way into another thread: each at once as long as that thread waits for them, else in
 * large pieces, and never many more than it has read.
 */
export class BodyFeed {
  readonly #send: (bytes: Uint8Array) => void;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #unread = 0;
  #closed = false;
  #room: () => void = () => undefined;

  constructor(send: (bytes: Uint8Array) => void) {
    this.#send = send;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when there is room for more, or when nobody wants it. */
  async push(chunk: Uint8Array): Promise<void> {
    this.#held.push(chunk);
    this.#heldBytes += chunk.byteLength;
    if (this.#unread === 0 || this.#heldBytes >= pieceBytes) this.flush();
    while (this.#heldBytes + this.#unread >= mostUnread && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#room = resolve;
      });
    }
  }

  flush(): void {
    if (this.#heldBytes === 0 || this.#closed) return;
    // A copy: other parts of that memory may be somebody else's.
    const bytes = new Uint8Array(this.#heldBytes);
    let at = 0;
    for (const chunk of this.#held) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    this.#held = [];
    this.#heldBytes = 0;
    this.#unread += bytes.byteLength;
    this.#send(bytes);
  }

  wasRead(bytes: number): void {
    this.#unread -= bytes;
    if (this.#unread === 0) this.flush();
    this.#room();
  }

  close(): void {
    this.#closed = true;
    this.#room();
  }
}
