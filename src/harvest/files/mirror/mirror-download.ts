import type { Http, HttpOptions, HttpResponse } from '../../../core/adapter.ts';
import { bitstreamOf, isTaggedAsOther } from '../../../core/addresses/bitstream-address.ts';
import { toHttpDate } from '../../../core/datetime.ts';
import { BridgeError, describeError, isBridgeError } from '../../../core/errors.ts';
import { saysNo } from '../../../core/files/published-files.ts';
import type { DueFile } from '../../../store/files/due-files.ts';
import type { ReadyContent } from '../../../store/payloads/content-files.ts';
import { onceMore } from '../../http/once-more.ts';
import { paceOf, type SlowestRate } from '../../http/response-body.ts';
import { type AnswerFacts, parseContentRange, readFacts } from '../checks/answer-facts.ts';
import { judgeAnswer, judgeError, type Verdict } from '../checks/file-verdict.ts';
import {
  type Notes,
  type PartialFile,
  type PartialNote,
  partialFile,
  partialSize,
  readNote,
  removePartial,
  writeNote,
} from './partial-file.ts';
import { type FinishedPart, PartialWriter } from './partial-writer.ts';
import { type Quota, Room } from './quota.ts';

export interface DownloadDeps {
  /** For URLs found in records. */
  readonly http: Http;
  /** Where the content store is. */
  readonly directory: string;
  readonly source: string;
  readonly quota: Quota;
  readonly notes: Notes;
  readonly maxFileBytes: number;
  readonly slowestRate: SlowestRate;
}

export type Download =
  | {
      readonly kind: 'complete';
      /** False: it is something else, twice the same, or a cover page lies in front. */
      readonly isAsStated: boolean;
      readonly facts: AnswerFacts;
      readonly content: ReadyContent;
      /** Resolves when the content is safe on the disk. */
      readonly synced: Promise<void>;
      /** Where something lies beside it that is to be removed once the content is kept. */
      readonly partial: PartialFile | undefined;
    }
  | { readonly kind: 'failed'; readonly verdict: Verdict }
  | {
      readonly kind: 'no-room';
      /** As announced. */
      readonly length?: number | undefined;
    };

/** Within one turn: the second may confirm the first, the third replaces a part that was none. */
const attempts = 3;

/**
 * Downloads a file into its partial file, continuing what an earlier attempt left, and compares it with what the
 * record states. Bytes that contradict the record are believed when they come a second time.
 * @throws BridgeError `disk-full`; what aborted `signal`
 */
export async function downloadFile(
  deps: DownloadDeps,
  file: DueFile,
  signal: AbortSignal,
): Promise<Download> {
  const partial = partialFile(deps.directory, deps.source, file.url, deps.notes);
  try {
    return await download(deps, file, partial, signal);
  } catch (error) {
    // What fills the disk is no use on it.
    if (isBridgeError(error, 'disk-full')) await removePartial(partial);
    throw error;
  }
}

async function download(
  deps: DownloadDeps,
  file: DueFile,
  partial: PartialFile,
  signal: AbortSignal,
): Promise<Download> {
  let reason = '';
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const note = await readNote(partial);
    const fetched = await fetchOnce(deps, file, partial, note, signal);
    if (fetched.kind === 'again') {
      reason = fetched.reason;
      continue;
    }
    if (fetched.kind !== 'complete') {
      if (fetched.kind === 'no-room' || saysNo(fetched.verdict.outcome)) await removePartial(partial);
      return fetched;
    }
    const { hash } = fetched.content;
    if (fetched.isAsStated || note?.contradicting === hash) return fetched;
    if (isCovered(file, fetched.facts, attempt === attempts - 1)) return fetched;
    reason = 'its bytes do not match the record, and differ each time';
    deps.quota.giveBack(fetched.content.length);
    await removePartial(partial);
    await writeNote(partial, { source: deps.source, url: file.url, contradicting: hash });
  }
  return { kind: 'failed', verdict: { outcome: 'unreachable', reason, hostAnswers: true } };
}

/**
 * DSpace makes cover pages anew for each request, so that no two downloads are the same: its tag says that it does; or
 * else the length, after all attempts.
 */
function isCovered({ url, stated }: DueFile, { etag, length }: AnswerFacts, isLast: boolean): boolean {
  if (isTaggedAsOther({ url, hash: stated.hash }, etag)) return true;
  return isLast && bitstreamOf(url) !== undefined && stated.length !== undefined && length !== stated.length;
}

type Fetched = Download | { readonly kind: 'again'; readonly reason: string };

async function fetchOnce(
  deps: DownloadDeps,
  file: DueFile,
  partial: PartialFile,
  note: PartialNote | undefined,
  signal: AbortSignal,
): Promise<Fetched> {
  const validator = validatorOf(note);
  const size = validator === undefined ? 0 : await partialSize(partial);
  let answer: HttpResponse;
  try {
    const options: HttpOptions = {
      signal,
      decode: 'declared',
      patient: false,
      bulk: true,
      maxBytes: deps.maxFileBytes,
      headers: {
        'accept-encoding': 'identity',
        ...(size > 0 && validator !== undefined ? { range: `bytes=${size}-`, 'if-range': validator } : {}),
      },
    };
    answer = await onceMore(() => deps.http.get(file.url, options), signal);
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'failed', verdict: judgeError(error) };
  }
  try {
    return await take(deps, file, partial, note, size, answer, signal);
  } finally {
    await answer.discard();
  }
}

async function take(
  deps: DownloadDeps,
  file: DueFile,
  partial: PartialFile,
  note: PartialNote | undefined,
  size: number,
  answer: HttpResponse,
  signal: AbortSignal,
): Promise<Fetched> {
  const isRest = answer.status === 206 && size > 0;
  const range = parseContentRange(answer.headers['content-range']);
  const isWhole = size > 0 && answer.status === 416 && range?.total === size && note?.length === size;
  if (!isWhole && (answer.status === 416 || (isRest && (range?.start !== size || changed(note, answer))))) {
    // What lies here is no part of what is there now.
    await removePartial(partial);
    return { kind: 'again', reason: 'it changes while it is downloaded' };
  }
  const verdict: Verdict = isWhole ? { outcome: 'confirmed' } : judgeAnswer(file, answer);
  if (verdict.outcome !== 'confirmed') return { kind: 'failed', verdict };
  const read = readFacts(answer);
  // 416 speaks of an error page, not of the file.
  const facts = isWhole
    ? { ...read, mediaType: file.mediaType, etag: note.etag, lastModified: note.lastModified }
    : read;
  if (facts.length !== undefined && facts.length > deps.maxFileBytes) return tooLarge(deps, facts.length);
  const start = isRest || isWhole ? size : 0;
  const room = new Room(deps.quota);
  const { etag, lastModified, length } = facts;
  const { contradicting } = note ?? {};
  const newNote = { source: deps.source, url: file.url, etag, lastModified, length, contradicting };
  const writing = new PartialWriter(partial, newNote, file.stated.hash);
  let finished: FinishedPart;
  try {
    if (!room.reach(Math.max(start, facts.length ?? 0))) return { kind: 'no-room', length: facts.length };
    await writing.begin(start, note !== undefined);
    if (!isWhole) {
      for await (const chunk of paceOf(answer.body, file.url, deps.slowestRate)) {
        const came = writing.length + chunk.byteLength;
        if (came > deps.maxFileBytes) return tooLarge(deps);
        if (!room.reach(came)) return { kind: 'no-room' };
        await writing.write(chunk);
      }
    }
    const came = writing.length;
    if (came !== (length ?? came)) throw cutOff(file.url, came, length);
    finished = await writing.end();
  } catch (error) {
    await writing.leave();
    signal.throwIfAborted();
    if (isBridgeError(error, 'response-too-large')) return tooLarge(deps);
    // A connection that breaks is continued at once, as long as each attempt brings something.
    const isBroken = isBridgeError(error, 'upstream-cut-off') && error.cause !== undefined;
    if (isBroken && validatorOf(newNote) !== undefined && writing.length > start)
      return { kind: 'again', reason: describeError(error) };
    return { kind: 'failed', verdict: judgeError(error) };
  } finally {
    await writing.close();
    if (!writing.isComplete) room.clear();
  }
  const { hash, crc, isAsStated, synced } = finished;
  room.reach(finished.length);
  return {
    kind: 'complete',
    facts: { ...facts, length: facts.length ?? finished.length },
    content: { file: partial.file, hash, length: finished.length, crc },
    synced,
    partial: note !== undefined || writing.isNoted ? partial : undefined,
    isAsStated: isAsStated && (file.stated.length ?? finished.length) === finished.length,
  };
}

/** Only a strong validator holds parts together (RFC 9110 §13.1.5). */
function validatorOf(note: PartialNote | undefined): string | undefined {
  if (note?.etag !== undefined) return note.etag.startsWith('"') ? note.etag : undefined;
  return note?.lastModified === undefined ? undefined : toHttpDate(note.lastModified);
}

/** Servers that give out a part although the file is another one by now. */
function changed(note: PartialNote | undefined, answer: HttpResponse): boolean {
  const facts = readFacts(answer);
  const differ = (a: unknown, b: unknown) => a !== undefined && b !== undefined && a !== b;
  return differ(note?.etag, facts.etag) || differ(note?.length, facts.length);
}

function cutOff(url: string, came: number, length: number | undefined): BridgeError {
  const message = `the response of ${url} ended after ${came} of ${length} octets`;
  return new BridgeError('upstream-cut-off', message, { retryable: true });
}

function tooLarge({ maxFileBytes }: DownloadDeps, length?: number): Download {
  const reason = `it has ${length ?? 'more'} octets, and maxFileBytes allows ${maxFileBytes}`;
  return { kind: 'failed', verdict: { outcome: 'refused', reason } };
}
