import type { Readable } from 'node:stream';
import { parseHttpDate } from '../../../core/datetime.ts';
import { type FileOutcome, saysNo } from '../../../core/files/published-files.ts';
import {
  type UpstreamContent,
  UpstreamFileError,
  type UpstreamFileRequest,
  type UpstreamVerdict,
} from '../../../core/files/upstream-files.ts';
import { retryAfter } from '../../http/patience.ts';
import { judgeAnswer } from '../checks/file-verdict.ts';

/** What a server said when it was asked for a file, after redirects. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly url: string;
  /** By lower-case name. */
  header(name: string): string | undefined;
  readonly body: Readable;
  /** What is left of the body is of no interest. */
  drop(): void;
}

/** Content without its body, and what has to be done to that. */
export interface ReadAnswer {
  readonly content: Omit<UpstreamContent, 'body'>;
  readonly gunzip: boolean;
  /** Octets that the body will have. */
  readonly bodyLength: number | undefined;
  readonly announced: boolean;
}

/**
 * What an answer means; pure.
 * @returns `without-range` when a part came that is of no use: the whole has to be asked for
 * @throws UpstreamFileError when there is no file in it
 */
export function readAnswer(
  answer: UpstreamAnswer,
  request: UpstreamFileRequest,
  now: Date,
): ReadAnswer | UpstreamVerdict | 'without-range' {
  const { status } = answer;
  if (status === 304 && request.ifNoneMatch !== undefined) {
    return { kind: 'not-modified', etag: etagOf(answer) };
  }
  if (status === 416 && request.range !== undefined) {
    const total = /^bytes \*\/(\d{1,15})$/i.exec(answer.header('content-range') ?? '')?.[1];
    return { kind: 'range-not-satisfiable', length: total === undefined ? undefined : Number(total) };
  }
  if (status !== 200 && status !== 203 && status !== 206) throw refusal(answer, request, now);
  refusePages(answer, request);
  return status !== 206 ? readWhole(answer, request) : readPart(answer, request);
}

const later = { retryAfterSeconds: 60 } as const;

const judged = [
  'content-type',
  'content-disposition',
  'content-length',
  'content-range',
  'content-encoding',
] as const;

/** As whoever asks for files without a reader would. */
function judge(
  answer: UpstreamAnswer,
  { url, stated }: UpstreamFileRequest,
): { readonly outcome: FileOutcome; readonly reason: string } {
  const { status, url: answered } = answer;
  const headers = Object.fromEntries(judged.map((name) => [name, answer.header(name) ?? '']));
  return { reason: '', ...judgeAnswer({ url, stated }, { status, url: answered, headers }) };
}

function withheld(message: string, outcome: 'refused' | 'gone', reason: string): UpstreamFileError {
  return new UpstreamFileError('file-withheld', message, { ...later, refusal: { outcome, reason } });
}

function refusePages(answer: UpstreamAnswer, request: UpstreamFileRequest): void {
  const { outcome, reason } = judge(answer, request);
  if (outcome === 'confirmed') return;
  const message = 'the repository returns an HTML page instead of the file';
  if (!saysNo(outcome)) throw new UpstreamFileError('upstream-file-failed', message, later);
  throw withheld(message, outcome, reason);
}

function readWhole(answer: UpstreamAnswer, { stated }: UpstreamFileRequest): ReadAnswer {
  const announcedLength = lengthOf(answer.header('content-length'));
  const gunzip = mustGunzip(answer, announcedLength, stated);
  const length = gunzip ? undefined : announcedLength;
  return {
    content: { kind: 'content', length, ...factsOf(answer, gunzip) },
    gunzip,
    bodyLength: length ?? stated.length,
    announced: length !== undefined,
  };
}

function readPart(
  answer: UpstreamAnswer,
  { range, stated }: UpstreamFileRequest,
): ReadAnswer | 'without-range' {
  const field = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(answer.header('content-range') ?? '');
  if (range === undefined) {
    throw new UpstreamFileError(
      'upstream-file-failed',
      'the repository returns a range that was not asked for',
    );
  }
  if (!field || mustGunzip(answer, undefined, stated)) return 'without-range';
  const [start, end] = [Number(field[1]), Number(field[2]) + 1];
  const length = field[3] === '*' ? undefined : Number(field[3]);
  const first = /^bytes=(\d+)-/i.exec(range)?.[1];
  if (start >= end || end > (length ?? end) || (first !== undefined && Number(first) !== start)) {
    return 'without-range';
  }
  return {
    content: { kind: 'content', length, part: { start, end }, ...factsOf(answer, false), ranges: true },
    gunzip: false,
    bodyLength: end - start,
    announced: answer.header('content-length') !== undefined,
  };
}

function factsOf(
  answer: UpstreamAnswer,
  decoded: boolean,
): Pick<UpstreamContent, 'contentType' | 'etag' | 'lastModified' | 'ranges'> {
  const etag = etagOf(answer);
  return {
    contentType: answer.header('content-type'),
    etag: etag !== undefined && decoded ? `W/${etag.replace(/^W\//, '')}` : etag,
    lastModified: parseHttpDate(answer.header('last-modified') ?? ''),
    ranges: !decoded && /\bbytes\b/i.test(answer.header('accept-ranges') ?? ''),
  };
}

/** Only what is one: some servers forget the quotes. */
function etagOf(answer: UpstreamAnswer): string | undefined {
  return /^(?:W\/)?"[\x21\x23-\x7e]{1,200}"$/.exec(answer.header('etag')?.trim() ?? '')?.[0];
}

/**
 * Some servers compress what was asked for as it is (quirk 35). Others only announce that what they send is an
 * archive (`.tar.gz`); then those bytes are the file.
 */
function mustGunzip(
  answer: UpstreamAnswer,
  length: number | undefined,
  { name, length: statedLength }: UpstreamFileRequest['stated'],
): boolean {
  const coding = answer.header('content-encoding')?.trim().toLowerCase() ?? '';
  if (/^(?:br|zstd|deflate|compress|x-compress)$/.test(coding) || coding.includes(',')) {
    throw new UpstreamFileError(
      'upstream-file-failed',
      'the repository sends a coding that was not asked for',
    );
  }
  if (coding !== 'gzip' && coding !== 'x-gzip') return false;
  return !(/\.(?:t?gz|svgz)$/i.test(name) || (length !== undefined && length === statedLength));
}

function lengthOf(field: string | undefined): number | undefined {
  return field !== undefined && /^\d{1,15}$/.test(field) ? Number(field) : undefined;
}

/** Other answers may be about how it was asked for. */
const aboutTheFile: ReadonlySet<number> = new Set([401, 402, 403, 404, 410, 451]);

function refusal(answer: UpstreamAnswer, request: UpstreamFileRequest, now: Date): UpstreamFileError {
  const { status } = answer;
  const message = `the repository answers ${status} for this file`;
  if (aboutTheFile.has(status)) {
    const { outcome, reason } = judge(answer, request);
    if (saysNo(outcome)) return withheld(message, outcome, reason);
  }
  const milliseconds = retryAfter(answer.header('retry-after'), now);
  const said = milliseconds === undefined ? undefined : Math.ceil(milliseconds / 1000);
  if (status === 429 || status === 503)
    return new UpstreamFileError('upstream-file-busy', message, { retryAfterSeconds: said });
  return new UpstreamFileError(
    status === 408 || status === 504 ? 'upstream-file-timeout' : 'upstream-file-failed',
    message,
    { retryAfterSeconds: said ?? later.retryAfterSeconds },
  );
}
