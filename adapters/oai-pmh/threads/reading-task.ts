import type { RecordOrigin } from '../items/source-item.ts';
import type { DeclaredUris } from '../namespaces/declared-prefixes.ts';
import type { Envelope } from '../wire/record-parser.ts';
import type { CarriedError } from './carried-error.ts';
import type { DeflatedPayloads, PackedRecords } from './packed-records.ts';

/** What is said to the thread of one response; a property each. */
export interface ReadingTask {
  readonly open?: OpenedResponse;
  /** The next bytes of the body. */
  readonly bytes?: Uint8Array;
  /** The body has ended: as it should, or by an error. */
  readonly ended?: true | CarriedError;
  /** So many batches were taken. */
  readonly taken?: number;
  /** Nobody wants the rest. */
  readonly left?: true;
}

export interface OpenedResponse {
  readonly url: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly origin: RecordOrigin;
  /** Payloads come ready to be kept, too. */
  readonly deflates: boolean;
  /** Earlier in the list. */
  readonly declared: DeclaredUris;
}

/** What the thread says of it. */
export interface ReadingAnswer {
  /** So many bytes were read. */
  readonly read?: number;
  readonly batch?: PackedRecords;
  readonly envelope?: Envelope;
  readonly declared?: DeclaredUris;
  readonly ended?: true | CarriedError;
  /** Of the oldest batch that still lacks them: they come behind it, so that nobody waits for them who need not. */
  readonly deflated?: DeflatedPayloads;
}
