import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Mail, openMail } from '../../../../src/bridge/alerts/channels/mail.ts';
import type { MailConfig } from '../../../../src/core/config/alerts-schema.ts';
import { describeError } from '../../../../src/core/errors.ts';
import { type MailServer, openMailServer } from '../../../house/alerts/receivers.ts';

const account = { user: 'bridge', password: 'the password of the account' };
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-mail-'));
const open: MailServer[] = [];
let tls: { readonly key: string; readonly cert: string };

beforeAll(() => {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3 -subj /CN=mail';
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...request.split(' '), ...names, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function mailServer(options: Parameters<typeof openMailServer>[0]): Promise<MailServer> {
  const server = await openMailServer(options);
  open.push(server);
  return server;
}

/** @returns addresses that were not taken */
async function sent(server: MailServer, settings: Partial<MailConfig>): Promise<readonly string[]> {
  const sender = openMail(
    {
      ...{ host: '127.0.0.1', port: server.port, security: 'starttls', from: 'bridge@example.org' },
      ...{ user: account.user, password: account.password, timeoutSeconds: 10 },
      ...{ allowPrivateAddresses: true, ...settings },
    } as MailConfig,
    { allow: [] },
  );
  const mail: Mail = {
    ...{ id: 'one', sender: 'Bridge', to: ['ops@example.org'], subject: 'Test', text: 'text\n' },
    ...{ language: 'en', at: Date.now(), unsubscribe: [] },
  };
  try {
    return await sender.send(mail);
  } catch (error) {
    throw new Error(describeError(error));
  } finally {
    sender.close();
  }
}

test('by STARTTLS, with an account, to a server whose authority is named', async () => {
  const server = await mailServer({ tls, account });
  expect(await sent(server, { ca: tls.cert })).toEqual([]);
  expect(server.mails).toMatchObject([{ secure: true, user: account.user, subject: 'Test' }]);
});

test('a certificate that nobody vouches for is not believed, and the account is not told to its server', async () => {
  const server = await mailServer({ tls, account });
  await expect(sent(server, {})).rejects.toThrow(/self-signed certificate/);
  expect(server.mails).toEqual([]);
});

test('a server that does not encrypt gets neither the account nor the message', async () => {
  const server = await mailServer({ account });
  await expect(sent(server, {})).rejects.toThrow(/mail\.security/);
  expect(server.mails).toEqual([]);
});

test('a wrong password is said to be one', async () => {
  const server = await mailServer({ tls, account });
  await expect(sent(server, { ca: tls.cert, password: 'another' })).rejects.toThrow(/wrong password/);
});
