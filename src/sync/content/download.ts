import type { FileHandle } from 'node:fs/promises';
import type { HttpResponse } from '../../core/adapter.ts';
import { BridgeError, describeError, isBridgeError } from '../../core/errors.ts';
import { ContentDigest, factsOf, type StatedContent } from '../../resourcesync/reading/content-digest.ts';
import { damageOnTheWay, servedHashes, withServed } from '../../resourcesync/reading/served-digest.ts';
import { essenceOf, type SmallAnswer, type SourcePort } from '../../resourcesync/source-port.ts';
import type { ReceivedContent } from '../sinks/received-content.ts';
import type { ServerAnswer } from '../sinks/sink.ts';
import type { PartNote, Parts } from './parts.ts';

export type Download =
  | {
      readonly kind: 'received';
      readonly content: ReceivedContent;
      readonly etag: string | undefined;
      /** As the server wrote it. */
      readonly lastModified: string | undefined;
      readonly mediaType: string | undefined;
      /** Undefined: it came in several pieces. */
      readonly answer?: ServerAnswer | undefined;
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string; readonly status: number | undefined };

export interface DownloadDeps {
  readonly port: SourcePort;
  readonly parts: Parts;
  readonly maximumOctets: number;
  /** What turns out far longer than its stated length is refused, for nobody said how long anything may be. */
  readonly isBoundByLength?: boolean;
  /** However small it is, it comes as a file. */
  readonly asFile?: boolean;
  /** Told what came of a large one so far; without a number: it has ended. */
  readonly onOctets?: (address: string, octets: number | undefined, total?: number) => void;
}

/** What is smaller never lies in a file of its own before it lies where it belongs. */
const smallOctets = 262_144;
const askedShortly = 65_536;
/** A connection that breaks is gone on with at once, so often, as long as each attempt brings something. */
const attempts = 5;

/** What has changed since it was listed may have grown: so many times, or by so many octets. */
const growth = { times: 16, octets: 64_000_000 };

/** Whether it is asked for in the short way, where there is one. */
export function isSmall({ length = Number.MAX_SAFE_INTEGER }: Pick<StatedContent, 'length'>): boolean {
  return length <= askedShortly;
}

/** Whatever it is, it is to come. */
export const unconditional: Readonly<Record<string, string>> = {};

/**
 * GETs an address and measures what comes while it comes; a download that broke, now or in an earlier run, goes on
 * where it ended.
 * @param headers conditions
 * @throws what stops the process; everything else is a download that failed
 */
export async function download(
  loc: string,
  stated: StatedContent,
  headers: Readonly<Record<string, string>>,
  deps: DownloadDeps,
): Promise<Download> {
  const isUsual = isSmall(stated) && deps.asFile !== true && headers === unconditional;
  const answer =
    isUsual && deps.parts.unfinished(loc) === undefined ? await deps.port.small?.get(loc) : undefined;
  const small = answer && ofSmall(answer, stated, deps.maximumOctets);
  if (small !== undefined) return small;
  let reason = '';
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const unfinished = deps.parts.unfinished(loc);
    const validator = unfinished && validatorOf(unfinished.note);
    if (unfinished && validator === undefined) deps.parts.remove(loc);
    const start = validator === undefined ? 0 : (unfinished?.length ?? 0);
    const range = validator === undefined ? {} : { range: `bytes=${start}-`, 'if-range': validator };
    let response: HttpResponse;
    try {
      response = await deps.port.get(loc, 'resource', { ...headers, ...range });
    } catch (error) {
      return failedBy(error);
    }
    try {
      const outcome = await new Taking(loc, stated, deps, response).take(start, unfinished?.note);
      if (outcome.kind !== 'again') return outcome;
      reason = outcome.reason;
    } finally {
      await response.discard();
    }
  }
  return { kind: 'failed', reason, status: undefined };
}

/** @returns undefined: it arrived damaged */
function ofSmall(answer: SmallAnswer, stated: StatedContent, maximumOctets: number): Download | undefined {
  const { status, headers, bytes } = answer;
  if (status !== 200) return { kind: 'failed', reason: `it answers ${status}`, status };
  if (bytes.byteLength > maximumOctets) return failedBy(tooLong(maximumOctets));
  const served = servedHashes(status, headers);
  const facts = factsOf(bytes, withServed(stated, served));
  if (damageOnTheWay(served, facts) !== undefined) return undefined;
  const content = { ...facts, bytes, file: undefined };
  return { kind: 'received', content, ...saidBy(headers), answer: { status, headers } };
}

function saidBy({ etag, 'last-modified': lastModified, 'content-type': type }: ServerAnswer['headers']) {
  return { etag, lastModified, mediaType: essenceOf(type) };
}

function tooLong(maximumOctets: number, stated?: number): BridgeError {
  const more = `it has more than ${maximumOctets} octets`;
  const beside =
    stated === undefined ? '' : `, and ${stated} are stated; --max-size allows as many as it says`;
  return new BridgeError('response-too-large', `${more}${beside}`);
}

/** @returns what is refused once more has come */
function limitOf(
  { length }: StatedContent,
  { maximumOctets, isBoundByLength = false }: DownloadDeps,
): { readonly octets: number; readonly tooLong: () => BridgeError } {
  if (!isBoundByLength || length === undefined)
    return { octets: maximumOctets, tooLong: () => tooLong(maximumOctets) };
  const bound = Math.max(length * growth.times, length + growth.octets);
  if (bound >= maximumOctets) return { octets: maximumOctets, tooLong: () => tooLong(maximumOctets) };
  return { octets: bound, tooLong: () => tooLong(bound, length) };
}

type Outcome = Download | { readonly kind: 'again'; readonly reason: string };

/** Where a download goes that is not small. */
interface MeasuredFile {
  readonly handle: FileHandle;
  readonly digest: ContentDigest;
}

class Taking {
  readonly #loc: string;
  readonly #deps: DownloadDeps;
  readonly #response: HttpResponse;
  readonly #served: readonly string[];
  readonly #expected: StatedContent;
  readonly #limit: ReturnType<typeof limitOf>;
  readonly #small: Uint8Array[] = [];
  #length = 0;
  /** What is small is measured when all of it is here. */
  #file: MeasuredFile | undefined;
  #isContinued = false;

  constructor(loc: string, stated: StatedContent, deps: DownloadDeps, response: HttpResponse) {
    this.#loc = loc;
    this.#deps = deps;
    this.#response = response;
    this.#served = servedHashes(response.status, response.headers);
    this.#expected = withServed(stated, this.#served);
    this.#limit = limitOf(stated, deps);
  }

  async take(start: number, note: PartNote | undefined): Promise<Outcome> {
    const { status, headers } = this.#response;
    const { parts } = this.#deps;
    if (status === 304) return { kind: 'unchanged' };
    if (status === 416 && start > 0) {
      parts.remove(this.#loc);
      return { kind: 'again', reason: 'it changes while it is downloaded' };
    }
    this.#isContinued = status === 206 && start > 0;
    if (status !== 200 && !this.#isContinued) {
      return { kind: 'failed', reason: `it answers ${status}`, status };
    }
    const { etag } = headers;
    const isOther = note?.etag !== undefined && etag !== undefined && etag !== note.etag;
    if (this.#isContinued && (startOf(headers['content-range']) !== start || isOther)) {
      parts.remove(this.#loc);
      return { kind: 'again', reason: 'it changes while it is downloaded' };
    }
    // What lay here is no part of what comes now.
    if (!this.#isContinued && start > 0) parts.remove(this.#loc);
    try {
      await this.#read(start);
    } catch (error) {
      return this.#broken(error, start);
    } finally {
      await this.#file?.handle.close();
      if (this.#file !== undefined) this.#deps.onOctets?.(this.#loc, undefined);
    }
    const { facts, bytes, file } = this.#taken();
    const damage = damageOnTheWay(this.#served, facts);
    if (damage !== undefined) {
      parts.remove(this.#loc);
      return { kind: 'again', reason: damage };
    }
    const answer = this.#isContinued ? undefined : { status, headers };
    return { kind: 'received', content: { ...facts, bytes, file }, ...saidBy(headers), answer };
  }

  #taken() {
    if (this.#file)
      return {
        facts: this.#file.digest.finish(),
        bytes: undefined,
        file: this.#deps.parts.fileOf(this.#loc),
      };
    const bytes = wholeOf(this.#small);
    return { facts: factsOf(bytes, this.#expected), bytes, file: undefined };
  }

  async #read(start: number): Promise<void> {
    const { parts } = this.#deps;
    if (this.#isContinued) {
      const { digest } = await this.#open(true);
      for await (const chunk of parts.read(this.#loc)) digest.update(chunk);
      this.#length = digest.length;
    }
    if (this.#isContinued && this.#length !== start)
      throw new BridgeError('upstream-cut-off', 'what was downloaded before has changed');
    if (this.#deps.asFile === true && this.#file === undefined) await this.#open(false);
    for await (const chunk of this.#response.body) {
      this.#length += chunk.byteLength;
      if (this.#length > this.#limit.octets) throw this.#limit.tooLong();
      if (this.#file === undefined) {
        this.#small.push(chunk);
        if (this.#length > smallOctets) await this.#open(false);
      } else {
        this.#file.digest.update(chunk);
        await this.#file.handle.write(chunk);
        this.#deps.port.giveBack?.(chunk);
        this.#showOctets();
      }
    }
  }

  #showOctets(): void {
    const { onOctets } = this.#deps;
    const length = this.#response.headers['content-length'];
    const isWhole = this.#response.status === 200 && length !== undefined;
    onOctets?.(this.#loc, this.#length, isWhole ? Number(length) : undefined);
  }

  async #open(isContinued: boolean): Promise<MeasuredFile> {
    const { etag, 'last-modified': lastModified } = this.#response.headers;
    const note = { loc: this.#loc, etag, lastModified };
    const isUseful = validatorOf(note) !== undefined;
    const handle = await this.#deps.parts.begin(this.#loc, isContinued, isUseful ? note : undefined);
    const digest = new ContentDigest(this.#expected);
    const file = { handle, digest };
    this.#file = file;
    for (const chunk of this.#small.splice(0)) {
      digest.update(chunk);
      await handle.write(chunk);
    }
    return file;
  }

  #broken(error: unknown, start: number): Outcome {
    const { parts } = this.#deps;
    const isCut = isBridgeError(error, 'upstream-cut-off');
    const mayGoOn = parts.unfinished(this.#loc) !== undefined;
    if (isCut && mayGoOn && this.#length > start) return { kind: 'again', reason: describeError(error) };
    // Whoever stopped us goes on later; what failed for another reason begins anew.
    if (isBridgeError(error) && !isCut) parts.remove(this.#loc);
    return failedBy(error);
  }
}

function wholeOf(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks);
}

/** Only a strong validator holds parts together (RFC 9110 §13.1.5). */
function validatorOf({ etag, lastModified }: PartNote): string | undefined {
  if (etag !== undefined) return etag.startsWith('"') ? etag : undefined;
  return lastModified;
}

function startOf(contentRange: string | undefined): number | undefined {
  const [, start] = /^bytes (\d+)-/.exec(contentRange ?? '') ?? [];
  return start === undefined ? undefined : Number(start);
}

function failedBy(error: unknown): Download {
  if (!isBridgeError(error) || error.code === 'interrupted' || error.code === 'disk-full') throw error;
  return { kind: 'failed', reason: describeError(error), status: undefined };
}
