import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BridgeError, failure } from '../../src/core/errors.ts';
import { knownMessages } from '../../src/server/admin/log/messages.ts';

const root = join(import.meta.dirname, '..', '..');
const documented = new Set(
  [...readFileSync(join(root, 'docs', 'errors.md'), 'utf8').matchAll(/^\| `([a-z-]+)` \|/gm)].map(
    ([, code]) => code,
  ),
);

test('every code that is thrown, refused with or logged is in errors.md', () => {
  const missing = ['src', 'adapters'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const text = readFileSync(join(root, room, file), 'utf8');
        const codes = text.matchAll(
          /(?:new (?:BridgeError|Refusal|UpstreamFileError)|\b(?:refusal|refuse))\(\s*'([a-z-]+)'|isBridgeError\([^,()]+, '([a-z-]+)'\)|\bcode(?: ===|:) '([a-z]+-[a-z-]+)'/g,
        );
        return [...codes]
          .map(([, thrown, expected, said]) => thrown ?? expected ?? said ?? '')
          .filter((code) => !documented.has(code))
          .map((code) => `${file}: ${code}`);
      }),
  );
  expect(missing).toEqual([]);
  expect(documented.size).toBeGreaterThan(40);
});

test('a line of the log says which of them a failure is', () => {
  const busy = new BridgeError('upstream-busy', 'later');
  expect(failure(new Error('no list', { cause: busy }))).toEqual({
    code: 'upstream-busy',
    reason: 'no list: later',
  });
  expect(failure(Object.assign(new Error('no room'), { code: 'ENOSPC' })).code).toBe('disk-full');
  for (const code of ['internal', 'disk-full', 'too-many-files', 'database-locked'])
    expect(documented).toContain(code);
  expect(failure('anything').code).toBe('internal');
});

/** Calls with all their arguments, however many lines they have. */
function* callsOf(text: string): Generator<string> {
  for (const { index } of text.matchAll(/\b#?log\.(?:info|warn|error|fatal)\(/gi)) {
    let depth = 0;
    let end = text.indexOf('(', index);
    do depth += { '(': 1, ')': -1 }[text[end++] ?? ''] ?? 0;
    while (depth > 0 && end < text.length);
    yield text.slice(index, end);
  }
}

test('every line of the log that tells of an error has its code', () => {
  const without = ['src', 'adapters'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        [...callsOf(readFileSync(join(root, room, file), 'utf8'))]
          .filter((call) => /\berr\b|describeError\(|error\.message/.test(call))
          .filter((call) => !/failure\(|\bcode\b/.test(call))
          .map((call) => `${file}: ${call}`),
      ),
  );
  expect(without).toEqual([]);
});

test('every message of the log is in the Japanese table', () => {
  const logged = new Set(
    ['src', 'adapters'].flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => [...callsOf(readFileSync(join(root, room, file), 'utf8'))])
        .flatMap((call) => /['`]([^'`$:]+(?:: [^'`$]+)?)[^'`]*['`],?\s*\)$/s.exec(call)?.[1] ?? [])
        .map((message) => message.replace(/: $/, '')),
    ),
  );
  expect([...logged].filter((message) => !knownMessages.has(message))).toEqual([]);
  expect(logged.size).toBeGreaterThan(90);
});
