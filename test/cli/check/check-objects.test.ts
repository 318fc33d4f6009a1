import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runMain } from '../../house/cli/run-main.ts';
import {
  accessKeyId,
  type ObjectServer,
  secretAccessKey,
  startVersitygw,
  versitygw,
} from '../../house/objects/versitygw.ts';

describe.skipIf(!versitygw)('rsbridge check with an object storage', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-test-'));
  let server: ObjectServer;
  beforeAll(async () => {
    server = await startVersitygw();
  });
  afterAll(async () => {
    await server?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function check(bucket: string, env: Readonly<Record<string, string>>) {
    const s3 = { endpoint: server.endpoint, bucket, prefix: 'rs' };
    writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ storage: { s3 }, sources: {} }));
    return runMain(directory, ['check'], env);
  }
  const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };

  test('tries it, and leaves nothing there', async () => {
    const { stdout } = await check('bridge', env);
    expect(stdout).toMatch(
      /^ok {4}object storage: an object was written to the bucket bridge at .*, read and deleted$/m,
    );
    expect(
      readdirSync(server.directory, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()),
    ).toEqual([]);
  });

  test.each([
    ['no bucket', 'another', env, 'there is no bucket for the bucket another'],
    ['no credentials', 'bridge', {}, 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'],
    [
      'wrong credentials',
      'bridge',
      { ...env, AWS_SECRET_ACCESS_KEY: 'wrong-secret' },
      'does not accept the credentials',
    ],
  ])('%s: it says so, and what to do', async (_, bucket, given, message) => {
    const { stdout } = await check(bucket, given);
    expect(stdout).toContain('FAIL  object storage: ');
    expect(stdout).toContain(message);
    expect(stdout).toContain('Correct `storage.s3`');
    expect(stdout).not.toContain('wrong-secret');
  });
});
