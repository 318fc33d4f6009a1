import type { HttpResponse } from '../core/adapter.ts';

export type Purpose = 'document' | 'resource' | 'package';

/** The way out, handed in by who may use the network. What is asked for is wanted without content coding. */
export interface SourcePort {
  /**
   * GETs a URI, redirects followed. Any final status is a response.
   * @throws BridgeError where the host cannot be reached, is refused, or redirects without end
   */
  get(uri: string, purpose: Purpose, headers?: Readonly<Record<string, string>>): Promise<HttpResponse>;
  /** Nobody looks at a chunk of a body any more: its memory may be used again. */
  readonly giveBack?: ((chunk: Uint8Array) => void) | undefined;
  /** A token or a login goes with requests to the host of the Source. */
  readonly isAuthorised?: boolean;
  /** A shorter way for small resources, where there is one. */
  readonly small?: SmallResources;
}

export interface SmallResources {
  /** So many are worth being asked for side by side: whoever asks need not see to what a host bears. */
  readonly atOnce: number;
  /** @returns undefined, or a promise of it: `SourcePort.get` is to be asked */
  get(uri: string): Promise<SmallAnswer | undefined> | undefined;
}

/** A final answer with all of its body, as it came. */
export type SmallAnswer = Pick<HttpResponse, 'status' | 'headers'> & { readonly bytes: Uint8Array };

/** `application/xml` of `Application/XML; charset=utf-8`. */
export function essenceOf(contentType: string | undefined): string | undefined {
  return contentType?.split(';')[0]?.trim().toLowerCase() || undefined;
}

/** The beginning of a body as text, at most so many bytes; the rest is discarded. */
export async function beginningOf(response: HttpResponse, bytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= bytes) break;
    }
  } finally {
    await response.discard();
  }
  return Buffer.concat(chunks).subarray(0, bytes).toString('utf8');
}
