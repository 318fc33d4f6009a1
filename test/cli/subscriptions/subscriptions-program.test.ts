import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { type Subscriber, startSubscriber } from '../../house/push/subscriber.ts';

const repository = createSampleRepository({ clock: systemClock, records: 3 });
let directory: string;
let hook: Subscriber;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-subscriptions-'));
  const { url } = await repository.listen(0);
  hook = await startSubscriber();
  const sources = { repo: { url, files: { mode: 'none' } } };
  writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ sources, push: { allow: ['127.0.0.1'] } }));
  expect((await runMain(directory, ['harvest'])).code).toBe(0);
}, 120_000);
afterAll(async () => {
  await Promise.all([repository.close(), hook.close()]);
  rmSync(directory, { recursive: true, force: true });
});

const run = (...args: string[]) => runMain(directory, ['subscriptions', ...args]);

test('a webhook is added, listed, tried and removed', async () => {
  expect((await run('list')).stdout).toContain('nobody is told of changes');
  expect((await run('followed')).stdout).toContain('no Source is followed');
  const added = await run('add', `${hook.base}/hook`, '--set', 'repo', '--label', 'search');
  expect(added).toMatchObject({ code: 0 });
  const [, secret = ''] = /signed with (whsec_\S+)/.exec(added.stdout) ?? [];
  const listed = await run('list');
  expect(listed.stdout).toBe(
    `1 webhook repo/change-notification.xml → ${hook.base}/hook (search): nothing was sent yet\n`,
  );
  // Whoever can list them does not learn how messages are signed.
  expect((await run('list', '--json')).stdout).not.toContain(secret);
  expect((await run('test', '1')).stdout).toBe('it took what was sent\n');
  const [message] = hook.deliveries('/hook');
  const { id, ...told } = JSON.parse(message?.body.toString() ?? '') as Record<string, unknown>;
  expect(told).toEqual({
    ...{ type: 'test', set: 'repo', topic: 'http://localhost:8080/repo/change-notification.xml' },
  });
  const key = Buffer.from(secret.slice(6), 'base64');
  const signed = `${id}.${message?.headers['webhook-timestamp']}.${message?.body}`;
  expect(message?.headers).toMatchObject({
    'webhook-id': id,
    'webhook-signature': `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  });
  hook.behave((_, reply) => reply.writeHead(500).end());
  expect(await run('test', '1')).toMatchObject({
    code: 3,
    stdout: 'it did not take what was sent: it answered 500\n',
  });
  const status = await runMain(directory, ['status']);
  expect(status.stdout).toContain('told of changes: 1 subscription (rsbridge subscriptions list)');
  expect((await run('remove', '1')).stdout).toContain('is not told of repo/change-notification.xml any more');
  expect((await run('list', '--json')).stdout).toBe('');
});

test('what cannot be is said with what to do instead', async () => {
  for (const [args, said] of [
    [['add', 'ftp://x.example/', '--set', 'repo'], 'does not begin with http:// or https://'],
    [['add', 'https://a:b@x.example/', '--set', 'repo'], 'it has a name or password in it'],
    [['add', 'https://x.example:25/', '--set', 'repo'], 'port 25 is not one of the web'],
    [['add', 'http://10.0.0.7/hook', '--set', 'repo'], 'push: { allow: ["10.0.0.7"] } in the configuration'],
    [
      ['add', 'http://[::ffff:a00:7]/', '--set', 'repo'],
      'its address is not public; push: { allow: ["::ffff',
    ],
    [['add', 'https://x.example/', '--set', 'rep'], 'there is no set called rep (did you mean "repo"?)'],
    [['remove', '77'], 'there is no subscription 77; rsbridge subscriptions list has them'],
    [['test', 'x'], 'give the number that rsbridge subscriptions list has'],
  ] as const) {
    const { code, stderr } = await run(...args);
    expect([code === 0, stderr], args.join(' ')).toEqual([false, expect.stringContaining(said)]);
  }
});
