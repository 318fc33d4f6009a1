import type { HttpResponse } from '../../core/adapter.ts';

/** The way to an endpoint, handed in by who may use the network. It keeps to its pace, and follows redirects. */
export interface EndpointPort {
  /**
   * Any status is a response, 429 and 503 too; after their Retry-After the next request waits of itself.
   * @throws BridgeError where the host cannot be reached, is refused, or redirects without end
   */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<HttpResponse>;
  post(url: string, form: string): Promise<HttpResponse>;
  now(): Date;
  sleep(milliseconds: number): Promise<void>;
}
