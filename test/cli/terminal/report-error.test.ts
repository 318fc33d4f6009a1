import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { logError } from '../../../src/cli/terminal/report-error.ts';
import { BridgeError } from '../../../src/core/errors.ts';

async function logged(error: unknown, { isTTY, json }: { isTTY: boolean; json: boolean }) {
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })];
  const { signal } = new AbortController();
  const code = logError(error, json, { stdout, stderr, env: {}, cwd: '/', stop: signal, abort: signal });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

const taken = new BridgeError('port-in-use', 'somebody listens there');

test('a person is told in a sentence, a log in a line of its own with the code', async () => {
  const told = await logged(taken, { isTTY: true, json: false });
  expect(told).toMatchObject({ code: 5, stdout: '' });
  expect(told.stderr).toMatch(/^rsbridge: somebody listens there\n.*\[port-in-use\]\n$/);
  const line = await logged(taken, { isTTY: false, json: true });
  expect(JSON.parse(line.stderr)).toMatchObject({
    level: 60,
    code: 'port-in-use',
    reason: 'somebody listens there',
    advice: taken.advice,
  });
  expect(JSON.parse(line.stdout)).toMatchObject({ error: { code: 'port-in-use' } });
});

test('what is unforeseen has its stack in the same line', async () => {
  const { code, stderr } = await logged(new Error('a bug'), { isTTY: false, json: false });
  expect(code).toBe(1);
  expect(stderr.trim().split('\n').length).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({ code: 'internal', stack: expect.stringContaining('a bug') });
});

test('what others wrote commands no terminal', async () => {
  const hostile = new BridgeError('usage', 'no \u001b[2Jsuch\u202e item\nsecond line');
  const { stderr } = await logged(hostile, { isTTY: true, json: false });
  expect(stderr).toContain('no \\u001b[2Jsuch\\u202e item\nsecond line\n');
});
