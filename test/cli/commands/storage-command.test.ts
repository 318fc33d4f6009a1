import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runMain } from '../../house/cli/run-main.ts';
import {
  accessKeyId,
  type ObjectServer,
  secretAccessKey,
  startVersitygw,
  versitygw,
} from '../../house/objects/versitygw.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-test-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function migrate(storage: object) {
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ storage, sources: {} }));
  const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  return runMain(directory, ['storage', 'migrate', '--json'], env);
}

test('without an object storage in the configuration: what to write', async () => {
  const { code, stderr } = await migrate({});
  expect(code).toBe(2);
  expect(stderr).toContain('storage.s3 is missing');
  const wrong = await migrate({ files: 's3' });
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('storage.files: there is no bucket; write storage.s3');
});

describe.skipIf(!versitygw)('with an object storage', () => {
  let server: ObjectServer;
  beforeAll(async () => {
    server = await startVersitygw();
  });
  afterAll(() => server?.close());

  test.each(['s3', 'disk'])('to %s: nothing to move is success', async (files) => {
    const s3 = { endpoint: server.endpoint, bucket: server.bucket };
    const { code, stdout } = await migrate({ s3, files });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      to: files,
      contents: 0,
      bytes: 0,
      damaged: [],
      removed: 0,
      payloads: { to: 'database', payloads: 0, bytes: 0, damaged: [] },
      published: 0,
    });
  });
});
