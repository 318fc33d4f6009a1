declare module 'autocannon' {
  interface Request {
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
  }
  interface Client {
    setRequests(requests: readonly Request[]): void;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    readonly requests?: readonly Request[];
    /** Requests a second, of all connections together. */
    /** Called with every connection before its first request. */
    readonly setupClient?: (client: Client) => void;
  }
  interface Result {
    readonly requests: { readonly average: number; readonly total: number };
    readonly throughput: { readonly average: number };
    readonly latency: { readonly p50: number; readonly p99: number };
    readonly errors: number;
    readonly '4xx': number;
    readonly '5xx': number;
    readonly non2xx: number;
    readonly statusCodeStats?: Readonly<Record<string, unknown>>;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
