import { BridgeError, isBridgeError } from '../../core/errors.ts';

/** A resource, or what it was once. */
export interface ContentOwner {
  /** Named when something is wrong. */
  readonly path: string;
  readonly hash?: string | undefined;
  readonly length?: number | undefined;
}

export function damaged(owner: ContentOwner, how: string, cause?: unknown): BridgeError {
  const detail = isBridgeError(cause) ? `: ${cause.message}` : '';
  const options = cause === undefined ? {} : { cause };
  return new BridgeError('content-damaged', `the content of ${owner.path} ${how}${detail}`, options);
}
