import { extname } from 'node:path';
import type { HttpResponse } from '../../../src/core/adapter.ts';
import { BridgeError, isBridgeError } from '../../../src/core/errors.ts';
import type { ThreadJob, Threads } from '../../../src/core/threads.ts';
import type { RecordOrigin } from '../items/source-item.ts';
import { declaredIn } from '../namespaces/declared-prefixes.ts';
import type { CutRecord, Envelope } from '../wire/record-parser.ts';
import { BodyFeed } from './body-feed.ts';
import { carry, uncarry } from './carried-error.ts';
import { addDeflated, type DeflatedPayloads, type ForeignRecord, unpackRecords } from './packed-records.ts';
import type { ReadingAnswer } from './reading-task.ts';

const script = new URL(`./reading-worker${extname(import.meta.filename)}`, import.meta.url);

/** How a response is read in another thread. */
export interface ForeignReading {
  readonly threads: Threads;
  readonly origin: RecordOrigin;
  /** Payloads come ready to be kept, too. */
  readonly deflates: boolean;
}

/** An answer of the thread, with what came behind it. */
interface Heard {
  readonly answer: ReadingAnswer;
  /** Once they have been asked for. */
  records?: ForeignRecord[];
  /** Before they were. */
  deflated?: DeflatedPayloads;
}

/** While a thread starts, which takes a tenth of a second, the next response is read before it is there. */
export function isReadElsewhere(threads: Threads): boolean {
  return threads.isReady(script);
}

/** `ListResponse`, read in another thread: the same records, the same errors, with what each record is read as. */
export class ForeignList implements AsyncIterable<CutRecord[]> {
  readonly #response: HttpResponse;
  readonly #list: object;
  readonly #how: ForeignReading;
  readonly #heard: Heard[] = [];
  #envelope: Envelope = { errors: [] };
  #bodyError: unknown;
  #failure: { readonly error: unknown } | undefined;
  /** What has been heard of, and whose payloads have not come deflated yet; the oldest first. */
  readonly #undeflated: Heard[] = [];
  /** To its end: nothing but what is undeflated is still to come. */
  #isRead = false;
  #leave: () => void = () => undefined;
  #wake: () => void = () => undefined;

  constructor(response: HttpResponse, list: object, how: ForeignReading) {
    this.#response = response;
    this.#list = list;
    this.#how = how;
  }

  /** Complete once the iteration has ended. */
  get envelope(): Envelope {
    return this.#envelope;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<CutRecord[]> {
    const { threads, origin, deflates } = this.#how;
    const { url, status, headers } = this.#response;
    const declared = declaredIn(this.#list);
    const feed = new BodyFeed((bytes) => job.send({ bytes }, [bytes.buffer as ArrayBuffer]));
    const job = threads.begin(script, {
      answer: (answer) => this.#hear(answer as ReadingAnswer, feed),
      lost: (error) => this.#fail(this.#lost(error)),
    });
    this.#leave = () => {
      job.send({ left: true });
      job.end();
    };
    try {
      const contentType = headers['content-type'];
      job.send({ open: { url, status, contentType, origin, deflates, declared: declared.entries } });
      void this.#pump(feed, job);
      for (;;) {
        const heard = await this.#next();
        const { batch, envelope, declared: news, ended } = heard.answer;
        if (envelope) this.#envelope = envelope;
        if (news) declared.merge(news);
        if (batch) {
          job.send({ taken: 1 });
          heard.records = unpackRecords(batch, origin);
          if (heard.deflated) addDeflated(heard.records, heard.deflated);
          yield heard.records;
        }
        this.#isRead = ended !== undefined;
        if (ended === true) return;
        if (ended !== undefined) throw uncarry(ended, this.#bodyError);
      }
    } finally {
      if (!this.#isRead) this.#undeflated.length = 0;
      if (this.#undeflated.length === 0) this.#leave();
      feed.close();
      await this.#response.discard();
    }
  }

  /**
   * Until the payloads of what was given are there deflated, too. Whoever has something to do for which they are not
   * needed does it before; what a thread that ended has left undone is done by whoever stores it.
   */
  async whole(): Promise<void> {
    while (this.#undeflated[0]?.records && !this.#failure) await this.#change();
  }

  async #pump(feed: BodyFeed, job: ThreadJob): Promise<void> {
    try {
      for await (const chunk of this.#response.body) {
        await feed.push(chunk);
        if (feed.closed) return;
      }
      feed.flush();
      job.send({ ended: true });
    } catch (error) {
      if (feed.closed) return;
      // Nobody waits for what was read of a response that nobody wants.
      if (!isBridgeError(error)) return this.#fail(error);
      this.#bodyError = error;
      feed.flush();
      job.send({ ended: carry(error) });
    }
  }

  #hear(answer: ReadingAnswer, feed: BodyFeed): void {
    if (answer.read !== undefined) feed.wasRead(answer.read);
    else if (answer.deflated) this.#add(answer.deflated);
    else this.#note({ answer });
  }

  #note(heard: Heard): void {
    this.#heard.push(heard);
    if (heard.answer.batch && this.#how.deflates) this.#undeflated.push(heard);
    this.#wake();
  }

  #add(deflated: DeflatedPayloads): void {
    const heard = this.#undeflated.shift();
    if (heard?.records) addDeflated(heard.records, deflated);
    else if (heard) heard.deflated = deflated;
    if (this.#isRead && this.#undeflated.length === 0) this.#leave();
    this.#wake();
  }

  async #next(): Promise<Heard> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      const heard = this.#heard.shift();
      if (heard) return heard;
      await this.#change();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  #lost(error: unknown): unknown {
    if (!isBridgeError(error, 'out-of-memory')) return error;
    const message = `${this.#response.url} could not be read: ${error.message}`;
    return new BridgeError('out-of-memory', message, { cause: error.cause, retryable: true });
  }
}
