import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareFirstPassword } from '../../../src/bridge/admin/first-password.ts';
import { loadConfig } from '../../../src/bridge/config/load-config.ts';
import { openStored } from '../../../src/bridge/stored-bridge.ts';
import { findAccount } from '../../../src/store/admin/accounts.ts';
import { findLink } from '../../../src/store/admin/links.ts';
import { isPassword } from '../../../src/store/admin/password-hash.ts';
import { beginSession, findSession } from '../../../src/store/admin/sessions.ts';
import { findToken } from '../../../src/store/admin/tokens.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { placeMigrated } from '../../house/store/databases.ts';

let directory: string;
const config = () => join(directory, 'rsbridge.yaml');

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-admin-'));
  writeFileSync(config(), 'baseUrl: https://rs.example.org/rs\nlisten: { port: 8123 }\n');
  placeMigrated(join(directory, 'rsbridge.db'));
  writeFileSync(
    config(),
    'baseUrl: https://rs.example.org/rs\nlisten: { port: 8123 }\ndatabase: { client: sqlite, file: rsbridge.db }\n',
  );
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

const admin = async (...args: string[]) => {
  const { code, stdout, stderr } = await runMain(directory, ['admin', ...args, '--config', config()]);
  return { code, stdout, stderr };
};

async function stored<Result>(work: (bridge: Awaited<ReturnType<typeof openStored>>) => Promise<Result>) {
  const bridge = await openStored(loadConfig({ config: config() }, {}, directory), 'check');
  try {
    return await work(bridge);
  } finally {
    await bridge.close();
  }
}

const now = () => new Date().toISOString().replace(/\.\d+/, '');

test('the first link is for this machine, those after it for wherever the dashboard is', async () => {
  const first = await admin('link');
  const [, key = ''] =
    /^http:\/\/127\.0\.0\.1:8123\/rs\/admin\/link\?key=([\w-]{43})\n/.exec(first.stdout) ?? [];
  await stored(async ({ database }) => {
    expect(await findLink(database.reader, key, now())).toEqual({ account: 'admin', scope: 'admin' });
  });
  const stdin = new PassThrough();
  stdin.end('correct horse battery\n');
  const set = await runMain(directory, ['admin', 'password', '--config', config()], {}, { stdin });
  expect(set.stdout).toBe(
    'the password of admin (admin) is set; sign in at https://rs.example.org/rs/admin\n',
  );
  await stored(async ({ database }) => {
    const account = await findAccount(database.reader, 'admin');
    expect(await isPassword('correct horse battery', account?.password)).toBe(true);
    expect(await findLink(database.reader, key, now())).toBeUndefined();
  });
  expect((await admin('link', '--name', 'alice')).stdout).toMatch(
    /^https:\/\/rs\.example\.org\/rs\/admin\/link\?key=[\w-]{43}\nopen it within 24 hours; it sets the password of alice \(read\), once\n$/,
  );
  expect((await admin('accounts')).stdout).toMatch(/^admin {2}admin {2}password of /);
});

test('a token is printed once, listed without its secret, and revoked', async () => {
  const made = JSON.parse((await admin('tokens', 'add', 'cron', '--scope', 'run', '--json')).stdout);
  expect(made).toMatchObject({
    name: 'cron',
    scope: 'run',
    createdBy: `${userInfo().username}@${hostname()}`,
  });
  const listed = await admin('tokens', 'list');
  expect(listed.stdout).toContain('cron  run  last used never, expires never');
  expect(listed.stdout).not.toContain(made.token);
  await stored(async ({ database }) => {
    expect(await findToken(database, made.token, now())).toMatchObject({ id: made.id });
  });
  expect((await admin('tokens', 'revoke', String(made.id))).stdout).toBe('cron is refused from now on\n');
  expect(await admin('tokens', 'revoke', String(made.id))).toMatchObject({ code: 2 });
  await stored(async ({ database }) => {
    expect(await findToken(database, made.token, now())).toBeUndefined();
  });
  expect((await admin('log', '--limit', '2')).stdout).toMatch(
    /^\S+ {2}[^ ]+@[^ ]+ {2}revoked a token: cron\n\S+ {2}[^ ]+@[^ ]+ {2}made a token: cron \(run\)\n$/,
  );
});

test('a session is listed without what opens it, and ended', async () => {
  expect((await admin('sessions', 'list')).stdout).toBe('nobody is signed in\n');
  const agent = 'Firefox\u001b[2J';
  const secret = await stored(({ database }) =>
    beginSession(database, { account: 'admin', address: '192.0.2.7', agent }, now()),
  );
  const { stdout } = await admin('sessions', 'list');
  expect(stdout).toMatch(/^[\w-]{43} {2}admin {2}last used .+ from 192\.0\.2\.7 \(Firefox/);
  expect(stdout).not.toContain(secret);
  expect(stdout).not.toContain('\u001b');
  const { session } = JSON.parse((await admin('sessions', 'list', '--json')).stdout);
  expect((await admin('sessions', 'end', session)).stdout).toBe('the session has ended\n');
  expect(await admin('sessions', 'end', session)).toMatchObject({ code: 2 });
  await stored(async ({ database }) => {
    expect(await findSession(database, secret, now())).toBeUndefined();
  });
});

test('what is typed wrongly changes nothing', async () => {
  expect(await admin('remove', 'nobody')).toMatchObject({ code: 2 });
  expect(await admin('link', '--name', '../x')).toMatchObject({ code: 2 });
  expect(await admin('link', '--scope', 'root')).toMatchObject({ code: 2 });
  expect(await admin('password')).toMatchObject({ code: 2 });
  const stdin = new PassThrough();
  stdin.end('short\n');
  expect(await runMain(directory, ['admin', 'password', '--config', config()], {}, { stdin })).toMatchObject({
    code: 2,
  });
});

test('the password of the configuration is that of the first account, and is set where it stands', async () => {
  const file = join(directory, 'with-password.yaml');
  writeFileSync(join(directory, 'password.txt'), 'from a file 123\n');
  writeFileSync(
    file,
    'adminPasswordFile: password.txt\ndatabase: { client: sqlite, file: rsbridge.db }\nlisten: { port: 8123 }\n',
  );
  const bridge = await openStored(loadConfig({ config: file }, {}, directory), 'check');
  try {
    const account = () => findAccount(bridge.database.reader, 'admin');
    expect(await prepareFirstPassword(bridge)).toBeUndefined();
    expect(await isPassword('from a file 123', (await account())?.password)).toBe(true);
    const before = (await account())?.password;
    expect(await prepareFirstPassword(bridge)).toBeUndefined();
    expect((await account())?.password).toBe(before);
  } finally {
    await bridge.close();
  }
  const refused = await runMain(directory, ['admin', 'link', '--config', file]);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('adminPassword');
});
