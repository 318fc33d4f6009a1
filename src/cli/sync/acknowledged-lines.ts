import { createInterface } from 'node:readline';
import { BridgeError } from '../../core/errors.ts';
import { type CopiedChange, NotTaken, type Telling } from '../../sync/sinks/copied-change.ts';
import { type CommandIo, say } from '../terminal/io.ts';

interface Waiting {
  readonly taken: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Changes as lines on stdout, each with a number; whoever reads them writes the number of the last one that it has for good to our stdin. What it
 * did not acknowledge is told again in the next run.
 */
export class AcknowledgedLines implements Telling {
  readonly atOnce = 1_000;
  readonly #io: CommandIo;
  readonly #waiting = new Map<number, Waiting>();
  readonly #answers;
  #sent = 0;
  #hasEnded = false;

  constructor(io: CommandIo) {
    if (io.stdin === undefined)
      throw new BridgeError('usage', '--ack: nobody is at standard input to acknowledge changes');
    this.#io = io;
    this.#answers = createInterface({ input: io.stdin });
    this.#answers.on('line', (line) => this.#acknowledge(line.trim()));
    this.#answers.once('close', this.#end);
    io.stop.addEventListener('abort', this.#end, { once: true });
  }

  async tell(change: CopiedChange): Promise<void> {
    if (this.#hasEnded) throw new NotTaken('nobody acknowledges changes any more');
    this.#sent += 1;
    const number = this.#sent;
    const answer = new Promise<void>((taken, failed) => this.#waiting.set(number, { taken, failed }));
    // It may end before anybody waits for it.
    answer.catch(() => undefined);
    await this.#write({ seq: number, ...change });
    await answer;
  }

  /** Nothing follows for now: whoever gathers lines acknowledges what it has. */
  async quiet(): Promise<void> {
    if (this.#waiting.size > 0 && !this.#hasEnded) await this.#write({ seq: this.#sent, op: 'quiet' });
  }

  close(): void {
    this.#io.stop.removeEventListener('abort', this.#end);
    this.#answers.close();
    this.#io.stdin?.pause();
  }

  #acknowledge(line: string): void {
    if (!/^\d{1,15}$/.test(line)) {
      if (line !== '') say(this.#io, `--ack: ${line.slice(0, 40)} is no number of a line`);
      return;
    }
    for (const [number, { taken }] of this.#waiting) {
      if (number > Number(line)) return;
      this.#waiting.delete(number);
      taken();
    }
  }

  readonly #end = () => {
    this.#hasEnded = true;
    const error = new NotTaken('it was not acknowledged');
    for (const { failed } of this.#waiting.values()) failed(error);
    this.#waiting.clear();
  };

  async #write(line: object): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#io.stdout.write(`${JSON.stringify(line)}\n`, (cause) => {
        if (!cause) resolve();
        else reject(new BridgeError('interrupted', 'nobody reads the changes any more', { cause }));
      });
    });
  }
}
