import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a request on its way to a real object storage; it is passed on as it is unless one is named. */
export type Fault =
  | { readonly kind: 'answer'; readonly status: number; readonly code?: string; readonly date?: string }
  /** The connection breaks before the request has come. */
  | { readonly kind: 'reset' }
  /** It is carried out, and the connection breaks before the answer. */
  | { readonly kind: 'deaf' }
  /** The body of the answer ends after so many octets. */
  | { readonly kind: 'cut'; readonly after: number }
  /** Nothing is answered. */
  | { readonly kind: 'silent' };

export interface AskedOf {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

export interface FaultProxy {
  readonly endpoint: string;
  readonly asked: readonly AskedOf[];
  /** Asked of each request. */
  fault: (asked: AskedOf) => Fault | undefined;
  close(): Promise<void>;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const asked: AskedOf[] = [];
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const what = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers };
    asked.push(what);
    handle(incoming, outgoing, proxy.fault(what), { hostname, port });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    fault: () => undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** Faults in this order, then none. */
export function oneAfterTheOther(...faults: readonly Fault[]): () => Fault | undefined {
  const left = [...faults];
  return () => left.shift();
}

function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: Fault | undefined,
  target: { readonly hostname: string; readonly port: string },
): void {
  if (fault?.kind === 'reset') {
    incoming.socket.resetAndDestroy();
    return;
  }
  if (fault?.kind === 'silent') return;
  if (fault?.kind === 'answer') {
    const { status, code, date } = fault;
    incoming.resume();
    outgoing.sendDate = date === undefined;
    outgoing.writeHead(status, {
      'content-type': 'application/xml',
      ...(date === undefined ? {} : { date }),
    });
    outgoing.end(code === undefined ? '' : `<Error><Code>${code}</Code><Message>as asked</Message></Error>`);
    return;
  }
  const { method, url: path, headers } = incoming;
  const passed = request({ ...target, method, path, headers }, (answer) => {
    if (fault?.kind === 'deaf') {
      answer.resume();
      answer.once('end', () => incoming.socket.resetAndDestroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    if (fault?.kind !== 'cut') {
      answer.pipe(outgoing);
      return;
    }
    let left = fault.after;
    answer.on('data', (chunk: Buffer) => {
      if (left < 0) return;
      outgoing.write(chunk.subarray(0, left));
      left -= chunk.byteLength;
      if (left < 0) setImmediate(() => incoming.socket.destroySoon());
    });
    answer.on('end', () => left >= 0 && outgoing.end());
  });
  passed.on('error', () => incoming.socket.destroy());
  incoming.on('error', () => passed.destroy());
  incoming.pipe(passed);
}
