import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A certificate of 127.0.0.1 that nobody knows but those who are given it, as an authority too. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
}

export function makeCertificate(directory: string): Certificate {
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...key, ...names, '-keyout', keyFile, '-out', certFile], {
    stdio: 'ignore',
  });
  return { certFile, keyFile };
}

export interface Front {
  readonly base: string;
  close(): void;
}

/** https before a server at a port of this machine, as a reverse proxy has it. */
export async function startFront({ certFile, keyFile }: Certificate, port: number): Promise<Front> {
  const server = createServer(
    { cert: readFileSync(certFile), key: readFileSync(keyFile) },
    (incoming, outgoing) => {
      const { url = '/', method = 'GET', headers } = incoming;
      const passed = request({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      outgoing.on('error', () => passed.destroy());
      incoming.pipe(passed);
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    base: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
