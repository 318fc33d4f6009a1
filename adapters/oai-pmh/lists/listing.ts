import type { AdapterContext, HttpResponse, PageRequest } from '../../../src/core/adapter.ts';
import { parseDatestamp, parseHttpDate, toIso } from '../../../src/core/datetime.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { EndpointHabits } from '../endpoint/endpoint-habits.ts';
import type { TokenCompany } from '../tokens/token-company.ts';
import type { TokenEncoding } from '../tokens/token-encoding.ts';
import type { PageSize } from '../verdicts/list-length.ts';
import type { DateForm } from '../windows/date-form.ts';
import type { Pass } from '../windows/passes.ts';
import type { Span } from '../windows/window.ts';
import type { Envelope } from '../wire/record-parser.ts';
import type { ReadEntry, ReadResponse } from './page-batch.ts';

/** What all lists of a run have in common. */
export interface Listing<Entry> {
  readonly verb: 'ListRecords' | 'ListIdentifiers';
  readonly mode: PageRequest['mode'];
  readonly endpoint: Endpoint;
  readonly context: AdapterContext;
  readonly offered: readonly string[];
  readonly read: (pass: Pass) => ReadEntry<Entry>;
  /** Reads a response to ListRecords elsewhere, for `read`; undefined: it is read here. */
  readonly readElsewhere?: ((response: HttpResponse, pass: Pass) => ReadResponse | undefined) | undefined;
  readonly dates: DateForm;
  readonly encoding: TokenEncoding;
  readonly company: TokenCompany;
  readonly habits: EndpointHabits;
  readonly pageSize: PageSize;
  /** The same of lists of identifiers, whose pages have another length. */
  readonly identifierPages: PageSize;
  /** Lists that may be read at a time. */
  readonly lists: number;
  /** From the earliest datestamp, as far as the repository tells it, to its clock before the run. */
  readonly span: () => Span;
  /** Seconds by which its index may lag behind that clock. */
  readonly lagSeconds: number;
  readonly clock: RunClock;
}

/** The clock of the run's first answer, not of its last: what changes meanwhile belongs to the next run. */
export class RunClock {
  asOf: string | undefined;

  constructor(asOf: string | undefined) {
    this.asOf = asOf;
  }

  see(envelope: Envelope, date: string | undefined, now: Date): void {
    this.asOf ??= parseDatestamp(envelope.responseDate ?? '') ?? parseHttpDate(date ?? '') ?? toIso(now);
  }
}
