import { expect, test } from 'vitest';
import { toldRests } from '../../../src/cli/sync/told-rests.ts';
import type { CommandIo } from '../../../src/cli/terminal/io.ts';
import { createHostGate } from '../../../src/harvest/http/host-gate.ts';

const now = Date.parse('2026-11-20T00:00:00Z');

test('a host that is left alone for long is told once, with until when and why', () => {
  const lines: string[] = [];
  const io = { stderr: { write: (text: string) => lines.push(text) } } as unknown as CommandIo;
  const gate = toldRests(createHostGate(), { io, now: () => now });
  gate.rest('a.example.org', now + 2_000, 'busy');
  expect(lines).toEqual([]);
  for (let times = 0; times < 3; times += 1)
    gate.rest('a.example.org', now + 3_600_000 + times, '503 from server, as asked');
  expect(lines).toEqual([
    'a.example.org is left alone until 2026-11-20T01:00:00Z (503 from server, as asked): 3600 seconds\n',
  ]);
  expect(gate.restOf('a.example.org', now)).toBe(3_600_002);
  gate.rest('b.example.org', now + 60_000);
  expect(lines[1]).toBe('b.example.org is left alone until 2026-11-20T00:01:00Z: 60 seconds\n');
});

test('a rest that is too long for a run ends it, unless that goes on for ever', () => {
  const lines: string[] = [];
  const io = { stderr: { write: (text: string) => lines.push(text) } } as unknown as CommandIo;
  const reasons: string[] = [];
  const gate = toldRests(createHostGate(), { io, now: () => now, onLong: (why) => reasons.push(why) });
  gate.rest('a.example.org', now + 300_000);
  expect(reasons).toEqual([]);
  gate.rest('a.example.org', now + 400_000, '429 from server, as asked');
  const left = 'a.example.org is left alone until 2026-11-20T00:06:40Z (429 from server, as asked)';
  expect(reasons).toEqual([left]);
  expect(lines.at(-1)).toBe(`${left}: this run ends, the next one goes on\n`);
});
