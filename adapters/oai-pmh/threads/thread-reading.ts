import { DeclaredPrefixes } from '../namespaces/declared-prefixes.ts';
import { ListResponse } from '../wire/list-response.ts';
import { type CarriedError, carry, uncarry } from './carried-error.ts';
import { deflateAll, RecordPacker } from './packed-records.ts';
import type { OpenedResponse, ReadingAnswer, ReadingTask } from './reading-task.ts';

const recordsAtATime = 100;
const bytesAtATime = 262_144;
/** Batches that nobody has taken yet. */
const mostUntaken = 2;

/** In the thread: one response. Reads on as long as there are bytes, and as what was read is wanted. */
export class ThreadReading {
  readonly #answer: (answer: ReadingAnswer, handedOver?: ArrayBuffer[]) => void;
  readonly #bytes: Uint8Array[] = [];
  #ended = false;
  #error: unknown;
  #left = false;
  #untaken = 0;
  #wake: () => void = () => undefined;

  constructor(answer: (answer: ReadingAnswer, handedOver?: ArrayBuffer[]) => void) {
    this.#answer = answer;
  }

  /** @returns whether that was all there is to hear */
  hear({ open, bytes, ended, taken = 0, left }: ReadingTask): boolean {
    if (open) void this.#read(open);
    if (bytes) this.#bytes.push(bytes);
    if (ended !== undefined) this.#ended = true;
    if (ended !== undefined && ended !== true) this.#error = uncarry(ended);
    this.#untaken -= taken;
    if (left) this.#left = true;
    this.#wake();
    return this.#left;
  }

  async #read(open: OpenedResponse): Promise<void> {
    const { url, status, contentType, origin, deflates } = open;
    const declared = new DeclaredPrefixes(open.declared);
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    const response = { url, status, headers, body: this.#body(), discard: async () => undefined };
    const list = new ListResponse(response, declared);
    const packer = new RecordPacker(origin);
    let told = declared.news;
    const news = () => {
      const isNews = declared.news !== told;
      told = declared.news;
      return { envelope: list.envelope, ...(isNews && { declared: declared.entries }) };
    };
    const tell = (ended?: true | CarriedError) => {
      const taken = packer.count > 0 ? packer.take() : undefined;
      const batch = taken && { batch: taken.records };
      this.#answer(
        { ...batch, ...news(), ...(ended !== undefined && { ended }) },
        taken && [taken.records.bytes.buffer as ArrayBuffer],
      );
      if (!taken || !deflates) return;
      const deflated = deflateAll(taken.payloads);
      this.#answer({ deflated }, [deflated.bytes.buffer as ArrayBuffer]);
    };
    try {
      for await (const records of list) {
        for (const record of records) {
          packer.add(record);
          if (packer.count >= recordsAtATime || packer.length >= bytesAtATime) {
            this.#untaken += 1;
            tell();
            while (this.#untaken >= mostUntaken && !this.#left) await this.#change();
          }
          if (this.#left) return;
        }
      }
      tell(true);
    } catch (error) {
      tell(carry(error, this.#error));
    }
  }

  async *#body(): AsyncGenerator<Uint8Array> {
    while (!this.#left) {
      const piece = this.#bytes.shift();
      if (piece) {
        yield piece;
        this.#answer({ read: piece.byteLength });
      } else if (this.#error !== undefined) throw this.#error;
      else if (this.#ended) return;
      else await this.#change();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
