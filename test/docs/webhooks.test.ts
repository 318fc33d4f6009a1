import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { signatureHeaders } from '../../src/bridge/alerts/channels/post.ts';

/** What docs/push.md gives to programs that are told by webhooks, as it is printed there. */
const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'push.md'), 'utf8');
const blockOf = (language: string) =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? expect.unreachable();

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-webhooks-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const languages = [
  {
    language: 'js',
    command: process.execPath,
    file: 'check.mjs',
    after: `
import { readFileSync } from 'node:fs';
const cases = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(cases.map(({ secret, headers, body }) => isGenuine(secret, headers, Buffer.from(body)))));`,
  },
  {
    language: 'python',
    command: 'python3',
    file: 'check.py',
    after: `
import json, sys
print(json.dumps([is_genuine(c["secret"], c["headers"], c["body"].encode()) for c in json.load(sys.stdin)]))`,
  },
  {
    language: 'php',
    command: process.env.PHP ?? 'php',
    file: 'check.php',
    after: `
$cases = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(array_map(fn($c) => is_genuine($c['secret'], $c['headers'], $c['body']), $cases));`,
  },
];

const now = Math.floor(Date.now() / 1000);
const body = '{"type":"changes","set":"図書館"}';
const id = 'changes-1-42-mh3x0k2c';
const ours = `whsec_${Buffer.from('a secret that we have made').toString('base64')}`;
const own = 'a secret of their own';
const signed = (secret: string, seconds = now) => signatureHeaders({ id, body }, secret, seconds);
const cases = [
  { secret: ours, headers: signed(ours), body, genuine: true },
  { secret: own, headers: signed(own), body, genuine: true },
  { secret: ours, headers: signed(own), body, genuine: false },
  { secret: ours, headers: signed(ours), body: `${body} `, genuine: false },
  { secret: ours, headers: { ...signed(ours), 'webhook-id': 'changes-1-43-mh3x0k2c' }, body, genuine: false },
  { secret: ours, headers: signed(ours, now - 600), body, genuine: false },
  { secret: ours, headers: { ...signed(ours), 'webhook-signature': 'v1,' }, body, genuine: false },
  { secret: ours, headers: { 'webhook-id': id }, body, genuine: false },
];

for (const { language, command, file, after } of languages) {
  const isThere = spawnSync(command, ['--version']).status === 0;
  if (!isThere)
    process.stderr.write(`SKIPPED: ${command} is not there, so the example in ${language} is not run\n`);
  test.skipIf(!isThere)(`the example in ${language} knows what is genuine`, () => {
    const path = join(directory, file);
    writeFileSync(path, blockOf(language) + after);
    const { stdout, stderr } = spawnSync(command, [path], { input: JSON.stringify(cases), encoding: 'utf8' });
    expect(stdout, stderr).not.toBe('');
    expect(JSON.parse(stdout)).toEqual(cases.map(({ genuine }) => genuine));
  });
}
