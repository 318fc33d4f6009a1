import { rootCertificates } from 'node:tls';
import { createTransport } from 'nodemailer';
import type { MailConfig } from '../../../core/config/alerts-schema.ts';
import { type ChannelPlaces, channelGuard, connectGuarded, undelivered } from './guarded.ts';

export interface Mail {
  /** Its Message-ID begins so: sent twice, it is the same. */
  readonly id: string;
  /** What the sender is called: of an address alone nobody sees at once what wrote. */
  readonly sender: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** Plain, with short lines. */
  readonly text: string;
  readonly language: string;
  /** When it was written, in milliseconds. */
  readonly at: number;
  /** Addresses by which whoever gets it can end that (RFC 2369). */
  readonly unsubscribe: readonly string[];
}

/** A connection to the mail server, made when it is needed first. */
export interface MailSender {
  /**
   * @returns addresses that the server did not take, where it took others
   * @throws BridgeError `alert-undelivered`; `retryable` false: another attempt would end in the same way
   */
  send(mail: Mail): Promise<readonly string[]>;
  /** Breaks off what is under way. */
  close(): void;
}

/** Of everything together: a server may go on answering a byte a minute. */
const patienceMs = 90_000;

export function openMail(config: MailConfig, places: Pick<ChannelPlaces, 'allow'>): MailSender {
  const { host, port, security, user, password, from, ca } = config;
  const timeoutMs = config.timeoutSeconds * 1000;
  const guard = channelGuard({ ...places, allowPrivate: config.allowPrivateAddresses });
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    // Whoever sends it again knows that it may have been sent.
    maxRequeues: 0,
    ...{ host, port, secure: security === 'tls' },
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user !== undefined && password !== undefined ? { auth: { user, pass: password } } : {}),
    ...(ca === undefined ? {} : { tls: { ca: [...rootCertificates, ca] } }),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    // A message is text that we have made: nothing in it names a file or an address to be read.
    ...{ disableFileAccess: true, disableUrlAccess: true },
    getSocket: (_options: unknown, done: (error: Error | null, found?: object) => void) => {
      connectGuarded(guard, { host, port, timeoutMs }).then(
        (connection) => done(null, { connection }),
        (error: Error) => done(error),
      );
    },
  });
  return {
    send: async (mail) => {
      const late = new AbortController();
      const timer = setTimeout(() => {
        late.abort();
        transport.close({ force: true });
      }, patienceMs);
      try {
        const { rejected } = await transport.sendMail(messageOf(mail, from));
        return rejected;
      } catch (cause) {
        const why = late.signal.aborted
          ? new Error(`it took longer than ${patienceMs / 1000} seconds`, { cause })
          : withAdvice(cause);
        throw undelivered(`${host}:${port}`, 'mail.allowPrivateAddresses', why);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => transport.close({ force: true }),
  };
}

/** What a server that speaks another way says is no help to whoever has to set that right. */
function withAdvice(cause: unknown): unknown {
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  if (code !== 'ETLS' && code !== 'EPROTOCOL') return cause;
  return new Error('it does not encrypt in this way; `mail.security` may be starttls, tls or none', {
    cause,
  });
}

function messageOf({ id, sender, to, subject, text, language, at, ...mail }: Mail, from: string) {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  return {
    from: { name: sender, address: from },
    to: [...to],
    subject,
    text,
    date: new Date(at),
    messageId: `<${id}@${domain}>`,
    headers: {
      'Content-Language': language,
      // RFC 3834: nobody's absence is answered with.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'List-Unsubscribe': mail.unsubscribe.map((address) => `<${address}>`).join(', '),
    },
  };
}
