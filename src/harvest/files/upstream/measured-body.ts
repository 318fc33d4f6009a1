import { Transform, type TransformCallback } from 'node:stream';
import { UpstreamFileError } from '../../../core/files/upstream-files.ts';

export interface BodyMeasure {
  /** Octets that have to come; undefined: whatever comes. */
  readonly length: number | undefined;
  /**
   * False: the upstream did not announce the length, and may send more. Then the last octets wait until it has
   * ended, or a reader with a full `Content-Length` would never learn that something was wrong.
   */
  readonly announced: boolean;
  /** What a failure of the body before this one means. */
  readonly toError: (error: Error) => Error;
}

/** Passes a body on, and ends in an error unless it has the length it should have. */
export class MeasuredBody extends Transform {
  readonly #measure: BodyMeasure;
  #length = 0;
  #held: Buffer | undefined;

  constructor(measure: BodyMeasure) {
    super();
    this.#measure = measure;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    const { length, announced } = this.#measure;
    this.#length += chunk.byteLength;
    if (length === undefined || announced) {
      done(this.#length > (length ?? this.#length) ? this.#wrong() : null, chunk);
      return;
    }
    const before = this.#held;
    this.#held = chunk;
    if (this.#length > length) done(this.#wrong());
    else done(null, before);
  }

  override _flush(done: TransformCallback): void {
    const { length } = this.#measure;
    if (length !== undefined && this.#length !== length) done(this.#wrong());
    else done(null, this.#held);
  }

  /** Before the first octet is passed on, it can still be told what happened. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    done(error && this.#measure.toError(error));
  }

  #wrong(): UpstreamFileError {
    return new UpstreamFileError(
      'upstream-file-failed',
      `the repository sent ${this.#length} bytes or more instead of ${this.#measure.length}`,
    );
  }
}
