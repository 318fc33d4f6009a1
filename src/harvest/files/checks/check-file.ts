import type { Http, HttpOptions, HttpResponse } from '../../../core/adapter.ts';
import { isBitstreamContent } from '../../../core/addresses/bitstream-address.ts';
import { toHttpDate } from '../../../core/datetime.ts';
import type { DueFile } from '../../../store/files/due-files.ts';
import type { RemoteFile } from '../../../store/files/remote-files.ts';
import { readFacts } from './answer-facts.ts';
import { afterVerdict, type RecheckDays } from './check-schedule.ts';
import { judgeAnswer, judgeError, type Verdict } from './file-verdict.ts';

export interface CheckOptions {
  readonly recheckDays: RecheckDays;
  /** Milliseconds for one request, redirects included. */
  readonly deadline: number;
}

/** Methods have to be allowed one by one; these answers may be about HEAD alone. */
const headRefused = new Set([400, 403, 405, 501]);

export interface Answer {
  readonly file: RemoteFile;
  readonly verdict: Verdict;
  /** Its server says that it is what it was. */
  readonly isUnmodified: boolean;
}

/**
 * Asks a server for a file without downloading it: HEAD, on later looks only for what is new, and a GET of one byte
 * where HEAD is not understood.
 * @param http for URLs found in records
 * @param now ISO UTC
 * @throws what aborted `signal`
 */
export async function askForFile(
  http: Http,
  file: DueFile,
  now: string,
  options: CheckOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const conditions = conditionsOf(file);
  const asking: HttpOptions = {
    signal,
    decode: 'never',
    patient: false,
    deadline: options.deadline,
    headers: conditions,
  };
  let verdict: Verdict;
  let isUnmodified = false;
  let facts: Partial<RemoteFile> = {};
  try {
    const answer = await ask(http, file, asking);
    if (answer.status === 304 && Object.keys(conditions).length > 0) {
      verdict = { outcome: 'confirmed' };
      isUnmodified = true;
    } else {
      verdict = judgeAnswer(file, answer);
      if (verdict.outcome === 'confirmed') facts = readFacts(answer);
    }
  } catch (error) {
    signal.throwIfAborted();
    verdict = judgeError(error);
  }
  const seen = afterVerdict(file, verdict, now, options.recheckDays);
  return { file: { ...seen, ...facts }, verdict, isUnmodified };
}

const firstByte = { range: 'bytes=0-0' } as const;

async function ask(http: Http, file: DueFile, options: HttpOptions): Promise<HttpResponse> {
  const ranged = { ...options, headers: { ...options.headers, ...firstByte } };
  // DSpace counts every HEAD without a range as a download.
  const isCounted = isBitstreamContent(file.url);
  const answer = await http.head(file.url, isCounted ? ranged : options);
  // Frameworks that do not know the length of what they would send say 0.
  const saysNothing = answer.status === 200 && answer.headers['content-length'] === '0';
  const mayBeEmpty = isCounted && answer.status === 416;
  if (!headRefused.has(answer.status) && !saysNothing && !mayBeEmpty) return answer;
  const part = await http.get(file.url, ranged);
  await part.discard();
  // There is no first byte of an empty file.
  const empty = part.status === 416 && readFacts(part).length === 0;
  const headers = mayBeEmpty ? {} : answer.headers;
  return empty ? { ...part, status: 200, headers: { ...headers, 'content-length': '0' } } : part;
}

function conditionsOf({ outcome, etag, lastModified }: RemoteFile): Record<string, string> {
  if (outcome !== 'confirmed' && outcome !== 'unreachable') return {};
  if (etag !== undefined) return { 'if-none-match': etag };
  return lastModified === undefined ? {} : { 'if-modified-since': toHttpDate(lastModified) };
}
