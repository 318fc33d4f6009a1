import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly secure: boolean;
  readonly headers: ReadonlyMap<string, string>;
  /** Decoded. */
  readonly subject: string;
  readonly text: string;
}

export interface MailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** What it answers instead of taking a message; undefined: it takes it. */
  refuse: (() => Error | undefined) | undefined;
  /** Messages that it has, and has not said so. */
  readonly unanswered: number;
  /** It takes messages, and says nothing more until this is false. */
  isSilent: boolean;
  close(): Promise<void>;
}

/** A real SMTP server on loopback that keeps what it is given. */
export async function openMailServer({
  tls,
  account,
}: {
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly account?: { readonly user: string; readonly password: string };
} = {}): Promise<MailServer> {
  const server = new SMTPServer({
    ...(tls ?? { disabledCommands: ['STARTTLS'] }),
    authOptional: account === undefined,
    disableReverseLookup: true,
    closeTimeout: 500,
    onAuth: ({ username, password }, _session, done) => {
      if (username === account?.user && password === account?.password) done(null, { user: username });
      else done(new Error('wrong password'));
    },
    onRcptTo: ({ address }, _session, done) => {
      if (address.startsWith('nobody'))
        done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
      else done();
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const refusal = opened.refuse?.();
        if (refusal) return done(refusal);
        const { envelope, user, secure } = session;
        opened.mails.push({
          to: envelope.rcptTo.map(({ address }) => address),
          ...{ user: user as string | undefined, secure: secure === true },
          ...parseMail(Buffer.concat(parts).toString('latin1')),
        });
        if (opened.isSilent) unanswered += 1;
        else done();
      });
    },
  });
  let unanswered = 0;
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const opened: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    mails: [],
    refuse: undefined,
    isSilent: false,
    get unanswered() {
      return unanswered;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return opened;
}

function parseMail(raw: string): Pick<ReceivedMail, 'headers' | 'subject' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const body = raw.slice(end + 4);
  const encoding = headers.get('content-transfer-encoding') ?? '7bit';
  return {
    headers,
    subject: decodeWords(headers.get('subject') ?? ''),
    text: decodeBody(body, encoding).replaceAll('\r\n', '\n'),
  };
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString('utf8');
  const joined = body.replace(/=\r\n/g, '');
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, encoded: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(encoded, 'base64').toString('utf8')
        : decodeBody(encoded.replaceAll('_', ' '), 'quoted-printable'),
    );
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly requests: Received[];
  /** What it answers. */
  status: number;
  close(): Promise<void>;
}

/** A server on loopback that keeps what it is sent. */
export async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      receiver.requests.push({ method, path: url, headers, body: Buffer.concat(parts).toString('utf8') });
      response
        .writeHead(receiver.status, receiver.status === 302 ? { location: '/elsewhere' } : {})
        .end('x'.repeat(100_000));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    status: 200,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
