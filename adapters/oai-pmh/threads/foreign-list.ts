import { extname } from 'node:path';
import type { HttpResponse } from '../../../src/core/adapter.ts';
import { BridgeError, isBridgeError } from '../../../src/core/errors.ts';
import type { ThreadJob, Threads } from '../../../src/core/threads.ts';
import type { RecordOrigin } from '../items/source-item.ts';
import { declaredIn } from '../namespaces/declared-prefixes.ts';
import type { CutRecord, Envelope } from '../wire/record-parser.ts';
import { BodyFeed } from './body-feed.ts';
import { carry, uncarry } from './carried-error.ts';
import { unpackRecords } from './packed-records.ts';
import type { ReadingAnswer } from './reading-task.ts';

const script = new URL(`./reading-worker${extname(import.meta.filename)}`, import.meta.url);

/** How a response is read in another thread. */
export interface ForeignReading {
  readonly threads: Threads;
  readonly origin: RecordOrigin;
  /** Payloads come ready to be kept, too. */
  readonly deflates: boolean;
}

/** `ListResponse`, read in another thread: the same records, the same errors, with what each record is read as. */
export class ForeignList implements AsyncIterable<CutRecord[]> {
  readonly #response: HttpResponse;
  readonly #list: object;
  readonly #how: ForeignReading;
  readonly #answers: ReadingAnswer[] = [];
  #envelope: Envelope = { errors: [] };
  #bodyError: unknown;
  #failure: { readonly error: unknown } | undefined;
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
    try {
      const contentType = headers['content-type'];
      job.send({ open: { url, status, contentType, origin, deflates, declared: declared.entries } });
      void this.#pump(feed, job);
      for (;;) {
        const { batch, envelope, declared: news, ended } = await this.#next();
        if (envelope) this.#envelope = envelope;
        if (news) declared.merge(news);
        if (batch) {
          job.send({ taken: 1 });
          yield unpackRecords(batch, origin);
        }
        if (ended === true) return;
        if (ended !== undefined) throw uncarry(ended, this.#bodyError);
      }
    } finally {
      job.send({ left: true });
      job.end();
      feed.close();
      await this.#response.discard();
    }
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
    else {
      this.#answers.push(answer);
      this.#wake();
    }
  }

  async #next(): Promise<ReadingAnswer> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      const answer = this.#answers.shift();
      if (answer) return answer;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
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
