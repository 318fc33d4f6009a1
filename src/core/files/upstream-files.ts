import type { Readable } from 'node:stream';
import { BridgeError } from '../errors.ts';

/**
 * The port by which a file is opened where it lies, on demand (files in mode `proxy`): as anybody on the web
 * would, never with a credential or a cookie, and never anywhere that is not public (design: file modes).
 */
export interface UpstreamFiles {
  /**
   * @param signal aborts the exchange, the body included
   * @throws UpstreamFileError when there is no file to be had
   */
  open(request: UpstreamFileRequest, signal: AbortSignal): Promise<UpstreamFile>;
}

export interface UpstreamFileRequest {
  /** Configured name of the source. */
  readonly source: string;
  readonly url: string;
  readonly method: 'GET' | 'HEAD';
  /** Who asks for it: none of them has all connections. */
  readonly client?: string | undefined;
  /** One range of bytes, as in the header field; parts are a wish. */
  readonly range?: string | undefined;
  /** Entity tags of the upstream's own, verbatim. */
  readonly ifRange?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  /** What the file is said to be: it tells an HTML page from the file, and the size where the answer does not. */
  readonly stated: StatedRepresentation;
}

export interface StatedRepresentation {
  readonly name: string;
  readonly mediaType?: string | undefined;
  readonly length?: number | undefined;
}

export type UpstreamFile = UpstreamContent | UpstreamVerdict;

/** The file, or the part of it that was asked for. */
export interface UpstreamContent {
  readonly kind: 'content';
  /** Of the whole file, as the upstream announces it in the identity coding. */
  readonly length?: number | undefined;
  /** Bytes from `start` up to, not including, `end`; undefined: all of them. */
  readonly part?: { readonly start: number; readonly end: number } | undefined;
  /** The field as it came, parameters included. */
  readonly contentType?: string | undefined;
  /** Verbatim, well-formed; weak where a content coding had to be removed. */
  readonly etag?: string | undefined;
  /** ISO UTC. */
  readonly lastModified?: string | undefined;
  /** Whether it says that it gives out parts. */
  readonly ranges: boolean;
  /**
   * Ends in an error unless exactly the announced (else the stated) number of bytes came. Must be read or
   * destroyed, which ends the connection. Of a HEAD it is empty.
   */
  readonly body: Readable;
}

export type UpstreamVerdict =
  /** `etag` verbatim: which of those asked about it is. */
  | { readonly kind: 'not-modified'; readonly etag?: string | undefined }
  /** `length` of the whole file. */
  | { readonly kind: 'range-not-satisfiable'; readonly length?: number | undefined };

/** What a repository said of a file that it does not hand out. */
export interface FileRefusal {
  readonly outcome: 'refused' | 'gone';
  /** One clause, for people. */
  readonly reason: string;
}

/** Why a file cannot be had now. The message is for readers: it names no host and no address. */
export class UpstreamFileError extends BridgeError {
  readonly retryAfterSeconds: number | undefined;
  /** The repository itself said no, just now. */
  readonly refusal: FileRefusal | undefined;

  constructor(
    code: 'upstream-file-failed' | 'upstream-file-timeout' | 'upstream-file-busy' | 'file-withheld',
    message: string,
    options: {
      readonly cause?: unknown;
      readonly retryAfterSeconds?: number | undefined;
      readonly refusal?: FileRefusal | undefined;
    } = {},
  ) {
    super(code, message, { cause: options.cause, retryable: code !== 'upstream-file-failed' });
    this.name = 'UpstreamFileError';
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.refusal = options.refusal;
  }
}
