import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { openMailServer } from '../../house/alerts/receivers.ts';
import { runMain } from '../../house/cli/run-main.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-digest-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const url = 'https://repo.example.org/oai';
function write(port: number): void {
  const settings = {
    mail: {
      host: '127.0.0.1',
      port,
      security: 'none',
      from: 'bridge@example.org',
      allowPrivateAddresses: true,
    },
    sources: { kyoto: { url, digestTo: 'hanako@example.org', digestLanguage: 'ja' }, nara: { url } },
  };
  writeFileSync(join(directory, 'rsbridge.yaml'), stringify(settings));
}

test('digest --dry-run prints the mail, and without it the mail is sent', async () => {
  const mails = await openMailServer();
  try {
    write(mails.port);
    const printed = await runMain(directory, ['digest', 'kyoto', '--dry-run']);
    expect(printed.stdout).toMatch(
      /^To: hanako@example\.org\nSubject: 【ResourceSync bridge】今週の状況: kyoto\n\n/,
    );
    expect(printed.stdout).toContain('最初のハーベストがまだ終わっていません。');
    expect(mails.mails).toEqual([]);
    expect(await runMain(directory, ['digest', 'kyoto'])).toMatchObject({
      ...{ code: 0, stdout: 'sent to hanako@example.org\n' },
    });
    const [mail] = mails.mails;
    expect(printed.stdout).not.toContain('/share/');
    expect(mail?.text).toMatch(
      /^詳細（ご担当者専用、35日間有効）: http:\/\/localhost:8080\/share\/[\w-]{43}$/m,
    );
    expect((await runMain(directory, ['digest', 'kyoto', '--revoke'])).stdout).toBe(
      '1 link to kyoto ended\n',
    );
    expect(printed.stdout.replaceAll('\r', '')).toContain(mail?.text.split('\n')[0] ?? '?');
    expect(mail?.headers.get('from')).toBe('ResourceSync bridge <bridge@example.org>');
  } finally {
    await mails.close();
  }
  const { code, stdout } = await runMain(directory, ['digest', 'kyoto', '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([3, { sent: false, code: 'alert-undelivered' }]);
});

test('digest says what to write where nobody is named, and which source was meant', async () => {
  write(25);
  const { stderr } = await runMain(directory, ['digest', 'nara']);
  expect(stderr).toContain('rsbridge sources edit nara --set digestTo=ADDRESS');
  expect((await runMain(directory, ['digest', 'kioto'])).stderr).toContain('kyoto');
});

test('a contact without a mail server is refused', async () => {
  const settings = { sources: { kyoto: { url, digestTo: 'hanako@example.org' } } };
  writeFileSync(join(directory, 'rsbridge.yaml'), stringify(settings));
  const { code, stderr } = await runMain(directory, ['digest', 'kyoto']);
  expect(code).toBe(2);
  expect(stderr).toContain('sources.kyoto.digestTo: there is no mail server; write mail.host and mail.from');
});
