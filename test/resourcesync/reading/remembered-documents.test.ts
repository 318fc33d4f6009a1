import { beforeEach, expect, test } from 'vitest';
import { DocumentCache } from '../../../adapters/resourcesync/reading/document-cache.ts';
import type { HttpResponse } from '../../../src/core/adapter.ts';
import { rememberingPort } from '../../../src/resourcesync/reading/remembered-documents.ts';

const uri = 'http://source.example/list.xml';
const date = 'Thu, 26 Nov 2026 12:00:10 GMT';
let memory: DocumentCache;
/** Conditions of each request, as they were sent. */
let asked: Readonly<Record<string, string>>[];

beforeEach(() => {
  memory = new DocumentCache();
  asked = [];
});

/** A server whose answers come in turn. */
function portOf(...answers: { status?: number; headers?: Record<string, string>; chunks?: string[] }[]) {
  const get = async (_uri: string, _purpose: string, headers = {}): Promise<HttpResponse> => {
    asked.push(headers);
    const { status = 200, headers: given = {}, chunks = [] } = answers[asked.length - 1] ?? {};
    const body = (async function* () {
      for (const chunk of chunks) {
        if (chunk === 'cut') throw new Error('cut');
        yield Buffer.from(chunk);
      }
    })();
    return { status, url: uri, headers: given, body, discard: async () => undefined };
  };
  return rememberingPort({ get }, memory);
}

async function read(port: ReturnType<typeof portOf>, headers?: Record<string, string>) {
  const { status, headers: answered, body } = await port.get(uri, 'document', headers);
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return { status, text, date: answered.date };
}

test('what was read to its end is read again from memory, by the clock of now', async () => {
  const port = portOf(
    { headers: { etag: '"1"', date }, chunks: ['<a', '/>'] },
    { status: 304, headers: { date: 'Thu, 26 Nov 2026 13:00:00 GMT' } },
    { status: 304 },
    { headers: { etag: '"2"' }, chunks: ['<b/>'] },
  );
  expect(await read(port)).toMatchObject({ text: '<a/>' });
  expect(await read(port)).toEqual({ status: 200, text: '<a/>', date: 'Thu, 26 Nov 2026 13:00:00 GMT' });
  expect(await read(port)).toEqual({ status: 200, text: '<a/>', date: undefined });
  expect(await read(port)).toMatchObject({ text: '<b/>' });
  const conditions = { 'if-none-match': '"1"' };
  expect(asked).toEqual([{}, conditions, conditions, conditions]);
});

test.each([
  ['longer ago', 'Thu, 26 Nov 2026 12:00:00 GMT', { 'if-modified-since': 'Thu, 26 Nov 2026 12:00:00 GMT' }],
  ['in the second before, which may hide another change', 'Thu, 26 Nov 2026 12:00:09 GMT', {}],
])('of what was modified %s', async (_when, modified, conditions) => {
  const port = portOf({ headers: { 'last-modified': modified, date }, chunks: ['<a/>'] });
  await read(port);
  await read(port);
  expect(asked[1]).toEqual(conditions);
});

test('what was cut off, or is very long, is asked for anew', async () => {
  const headers = { etag: '"1"' };
  const port = portOf(
    { headers, chunks: ['<a', 'cut'] },
    { headers, chunks: Array.from({ length: 5 }, () => 'x'.repeat(1_000_000)) },
  );
  await expect(read(port)).rejects.toThrow('cut');
  await read(port);
  await read(port);
  expect(asked).toEqual([{}, {}, {}]);
});

test('who has conditions of its own gets the answer to them', async () => {
  const port = portOf({ headers: { etag: '"1"' }, chunks: ['<a/>'] }, { status: 304 });
  await read(port);
  expect(await read(port, { 'if-none-match': '"0"' })).toMatchObject({ status: 304, text: '' });
  expect(asked[1]).toEqual({ 'if-none-match': '"0"' });
});
