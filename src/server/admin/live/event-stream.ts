import { Readable } from 'node:stream';

/** More than this waits for nobody: whoever does not read is let go, and begins anew. */
const mostWaiting = 262_144;

/** Server-sent events (HTML, 9.2), one after another, for one reader. */
export class EventStream extends Readable {
  /** When something was sent last, by `performance.now()`. */
  sentAt = performance.now();

  constructor() {
    super({ highWaterMark: mostWaiting });
    // Whoever lost the connection asks again after so many milliseconds.
    this.push('retry: 3000\n\n');
  }

  override _read(): void {}

  /** @param id behind which the reader goes on when it comes again */
  say(event: string, data: unknown, id?: number): void {
    const named = id === undefined ? '' : `id: ${id}\n`;
    this.#send(`event: ${event}\n${named}data: ${JSON.stringify(data)}\n\n`);
  }

  /** So that nobody in between takes the connection for dead. */
  ping(): void {
    this.#send(':\n\n');
  }

  /** @param again whether it is worth coming again: the server closes, perhaps to begin anew */
  end(again = false): void {
    if (this.destroyed) return;
    // Whoever was told does not come again by itself.
    this.say('end', again ? { again } : {});
    this.push(null);
  }

  #send(text: string): void {
    if (this.destroyed) return;
    this.sentAt = performance.now();
    this.push(text);
    if (this.readableLength > mostWaiting) this.destroy();
  }
}
