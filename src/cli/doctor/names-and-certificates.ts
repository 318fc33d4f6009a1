import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { type Diagnosis, diagnose } from './diagnosis.ts';

const dayMs = 86_400_000;
/** Certificates of 90 days are made anew 30 days before their end; those of six weeks, a fortnight. */
const soonMs = 14 * dayMs;
const timeoutMs = 15_000;

/** Where the host of the public address leads. */
export async function checkName(url: URL): Promise<readonly Diagnosis[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  try {
    const addresses = isIP(host) ? [{ address: host }] : await lookup(host, { all: true });
    const told = addresses.map(({ address }) => address).join(', ');
    const ranges = addresses.map(({ address }) => ipaddr.process(address).range());
    return diagnose(
      'DNS',
      [
        ranges.every((range) => range === 'loopback') && {
          severity: 'note',
          message: `${host} is this machine alone (${told}): nobody else can read what is published`,
          mend: 'baseUrl: https://repo.example.ac.jp (the address by which others reach it)',
        },
        ranges.some((range) => range === 'private' || range === 'uniqueLocal') && {
          severity: 'note',
          message: `${host} is in a private network (${told}): nobody outside of it can read what is published`,
          mend: `getent ahosts ${host}`,
        },
      ],
      `${host} is ${told}`,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [
      {
        check: 'DNS',
        severity: 'error',
        message: `${host} has no address (${code}): nobody finds what is published`,
        mend: `getent ahosts ${host}`,
      },
    ];
  }
}

/** Whether a connection to it comes from the very address that it goes to, as far as loopback counts. */
export async function isOwnAddress(url: URL): Promise<boolean> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [{ address: host }] : await lookup(host, { all: true });
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const loopback = new Set(own.filter(({ internal }) => internal).map(({ address }) => address));
  return addresses.some(({ address }) => loopback.has(address) || address.startsWith('127.'));
}

/** Until when the certificate of the public address is good, and whether others believe it. */
export async function checkCertificate(url: URL, now: number): Promise<readonly Diagnosis[]> {
  if (url.protocol !== 'https:') return [];
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || 443;
  const look = `openssl s_client -connect ${host}:${port} -servername ${host} </dev/null`;
  try {
    const { until, fault } = await readCertificate(host, port);
    const left = until - now;
    const days = Math.floor(left / dayMs);
    const date = new Date(until).toISOString().slice(0, 10);
    return diagnose(
      'TLS',
      [
        left <= 0
          ? {
              severity: 'error',
              message: `the certificate of ${host} ended on ${date}`,
              mend: 'certbot renew && nginx -s reload (or whatever makes your certificates)',
            }
          : left < soonMs && {
              severity: 'warning',
              message: `the certificate of ${host} ends on ${date}, in ${days} days`,
              mend: 'certbot renew && nginx -s reload (or whatever makes your certificates)',
            },
        left > 0 &&
          fault !== undefined && {
            severity: 'error',
            message: `others do not believe the certificate of ${host}: ${fault}`,
            mend: look,
          },
      ],
      `the certificate of ${host} is good until ${date}, for ${days} days`,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it fails';
    const message = `${host}:${port} does not speak TLS: ${reason}`;
    return [{ check: 'TLS', severity: 'error', message, mend: look }];
  }
}

function readCertificate(
  host: string,
  port: number,
): Promise<{ readonly until: number; readonly fault: string | undefined }> {
  return new Promise((resolve, reject) => {
    // What is wrong with it is what we are here for.
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      ...(isIP(host) ? {} : { servername: host }),
    });
    const late = setTimeout(() => socket.destroy(new Error('no answer')), timeoutMs);
    socket.once('error', reject).once('close', () => clearTimeout(late));
    socket.once('secureConnect', () => {
      const until = Date.parse(socket.getPeerCertificate().valid_to);
      const { authorizationError: fault } = socket;
      socket.end();
      resolve({ until, fault: fault ? String((fault as { code?: string }).code ?? fault) : undefined });
    });
  });
}
