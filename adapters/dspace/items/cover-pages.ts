import type { AdapterContext, HttpResponse } from '../../../src/core/adapter.ts';
import type { Bitstream } from '../../../src/core/dspace/dspace-item.ts';
import { hashOf } from '../../../src/core/dspace/source-files.ts';
import { isBridgeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import type { RestService } from '../rest/rest-service.ts';

const lesson = 'cover-pages';
const sentence = say('cover-pages', {});

/** PDFs that a run asks for. */
const sampleSize = 10;
/** So many as they are stated, and none that is not, and there are no cover pages any more. */
const enoughAgreeing = 5;

/** What is compared with what is handed out. */
type Stated = Pick<Bitstream, 'id' | 'sizeBytes' | 'checkSum'>;

/**
 * DSpace can put a citation page in front of every PDF it hands out, everywhere or in some collections; size and
 * checksum stay those of the stored file. A run asks for the first open PDF of each owning collection, up to ten, and
 * remembers one that differed: as long as that one does, nothing else needs to be asked.
 */
export class CoverPages {
  readonly #rest: Pick<RestService, 'base' | 'headContent'>;
  readonly #context: Pick<AdapterContext, 'lessons' | 'log'>;
  readonly #asked = new Set<string>();
  #agreeing = 0;
  /** It was seen in this run. */
  #isCertain = false;
  /** Looks wait for one another: what is found by one holds for the next. */
  #queue: Promise<void> = Promise.resolve();

  constructor(
    rest: Pick<RestService, 'base' | 'headContent'>,
    context: Pick<AdapterContext, 'lessons' | 'log'>,
  ) {
    this.#rest = rest;
    this.#context = context;
  }

  /** PDFs are not what they are stated to be. */
  get found(): boolean {
    return this.#context.lessons.get(lesson) !== undefined;
  }

  /**
   * Looks at a PDF that everybody may read, if one of its collection has not been looked at.
   * @param collection of the item, by its UUID
   */
  look(collection: string, pdf: Stated, signal: AbortSignal): Promise<void> {
    if (this.#isSettled(collection)) return Promise.resolve();
    const look = this.#queue.then(() => this.#look(collection, pdf, signal));
    this.#queue = look.catch(() => undefined);
    return look;
  }

  #isSettled(collection: string): boolean {
    return this.#isCertain || this.#asked.has(collection) || this.#asked.size >= sampleSize;
  }

  async #look(collection: string, pdf: Stated, signal: AbortSignal): Promise<void> {
    if (this.#isSettled(collection)) return;
    if (this.#asked.size === 0) {
      const known = readWitness(this.#context.lessons.get(lesson));
      if (known !== undefined && (await this.#differs(known, signal))) {
        this.#isCertain = true;
        return;
      }
    }
    this.#asked.add(collection);
    const differs = await this.#differs(pdf, signal);
    if (differs === true) {
      this.#isCertain = true;
      this.#context.lessons.learn(lesson, witness(pdf), sentence);
    } else if (differs === false) {
      this.#agreeing += 1;
      if (this.#agreeing >= enoughAgreeing) this.#context.lessons.forget(lesson);
    }
  }

  /** @returns undefined: the server does not say, or not now */
  async #differs(pdf: Stated, signal: AbortSignal): Promise<boolean | undefined> {
    let response: HttpResponse;
    try {
      response = await this.#rest.headContent(pdf.id, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isBridgeError(error)) throw error;
      this.#context.log.debug({ bitstream: pdf.id, error: error.code }, 'no look at a PDF');
      return undefined;
    }
    await response.discard();
    if (response.status !== 200 && response.status !== 206) return undefined;
    const length = lengthOf(response);
    const lengths =
      pdf.sizeBytes === undefined || length === undefined ? undefined : length !== pdf.sizeBytes;
    const stated = hashOf(pdf.checkSum);
    const digest = this.#digestOf(response);
    const comparable = stated?.startsWith('md5:') === true && digest !== undefined;
    const hashes = comparable ? stated !== `md5:${digest}` : undefined;
    if (lengths === true || hashes === true) return true;
    return lengths ?? hashes;
  }

  /** DSpace's tags are MD5s, in quotes or two pairs of them; where it sends on to a store, that has tags of its own. */
  #digestOf({ url, headers }: HttpResponse): string | undefined {
    if (!url.startsWith(`${this.#rest.base}/`)) return undefined;
    return /^(?:W\/)?"*([\da-f]{32})"*$/i.exec(headers.etag ?? '')?.[1]?.toLowerCase();
  }
}

/** Of the whole file, when a part of it was asked for. */
function lengthOf({ status, headers }: HttpResponse): number | undefined {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity') return undefined;
  const text =
    status === 206
      ? /^bytes \d+-\d+\/(\d+)$/i.exec(headers['content-range'] ?? '')?.[1]
      : headers['content-length'];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** `uuid size md5`: the PDF that differed, with what was stated of it. */
function witness({ id, sizeBytes, checkSum }: Stated): string {
  return `${id} ${sizeBytes ?? '-'} ${hashOf(checkSum)?.replace(/^md5:/, '') ?? '-'}`;
}

function readWitness(value: string | undefined): Stated | undefined {
  const [, id, size, md5] = /^([\da-f-]{36}) (\d+|-) ([\da-f]{32}|-)/.exec(value ?? '') ?? [];
  if (id === undefined) return undefined;
  return {
    id,
    sizeBytes: size === '-' ? undefined : Number(size),
    checkSum: md5 === undefined || md5 === '-' ? undefined : { algorithm: 'MD5', value: md5 },
  };
}
