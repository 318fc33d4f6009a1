import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { readRecord } from '../../../../adapters/oai-pmh/items/source-item.ts';
import { ForeignList } from '../../../../adapters/oai-pmh/threads/foreign-list.ts';
import { readingOf } from '../../../../adapters/oai-pmh/threads/packed-records.ts';
import { ListResponse } from '../../../../adapters/oai-pmh/wire/list-response.ts';
import type { CutRecord, Envelope } from '../../../../adapters/oai-pmh/wire/record-parser.ts';
import type { HttpResponse, SourceItem } from '../../../../src/core/adapter.ts';
import { BridgeError } from '../../../../src/core/errors.ts';
import { deflatePayload } from '../../../../src/core/payloads/deflated.ts';
import { sha256 } from '../../../../src/core/payloads/sha-256.ts';
import { createThreads } from '../../../../src/harvest/threads/threads.ts';
import { envelope, record } from '../../../house/adapters/scripted-provider.ts';
import { sharedMaterial } from '../../../house/adapters/shared-material.ts';
import { silent } from '../../../house/hostile/open-source.ts';

const threads = createThreads(1, silent);
afterAll(() => threads.close());

const origin = {
  url: 'https://repo.example.org/oai',
  format: 'oai_dc',
  collection: undefined,
  publishes: true,
  findsFiles: true,
};

interface Answered {
  readonly bytes: Buffer;
  readonly size: number;
  readonly status?: number;
  /** Thrown behind the bytes. */
  readonly breaks?: Error;
}

function answer({ bytes, size, status = 200, breaks }: Answered): HttpResponse & { left: boolean } {
  async function* body() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
    if (breaks) throw breaks;
  }
  const response = {
    url: origin.url,
    status,
    headers: { 'content-type': 'text/xml' },
    left: false,
    body: body(),
    discard: async () => {
      response.left = true;
    },
  };
  return response;
}

interface Told {
  readonly records: readonly object[];
  readonly envelope: Envelope;
  readonly error: unknown;
}

async function told(
  list: AsyncIterable<CutRecord[]> & { readonly envelope: Envelope; whole?(): Promise<void> },
  deflates: boolean,
): Promise<Told> {
  const read: CutRecord[] = [];
  let error: unknown;
  try {
    for await (const some of list) read.push(...some);
  } catch (thrown) {
    error = thrown;
  }
  await list.whole?.();
  const records = read.map((one) => toldOf(one, deflates));
  return { records, envelope: list.envelope, error: plain(error) };
}

/** All that anybody asks of a record. */
function toldOf(one: CutRecord, deflates: boolean): object {
  const { item, problem } = readingOf(one) ?? readRecord(one, origin);
  const metadata = item?.metadata.map((its) => {
    const { content, hash = sha256(content), deflated } = its;
    const expected = deflates ? Buffer.from(deflated ?? deflatePayload(content)).toString('hex') : undefined;
    return { ...its, content: Buffer.from(content).toString(), hash, deflated: expected };
  });
  const { identifier, datestamp, setSpecs, deleted, quarantine, raw, repairs } = one;
  const header = { identifier, datestamp, setSpecs, deleted, quarantine, raw, repairs: [...repairs] };
  return { ...header, namespace: one.payload?.namespace, item: item && { ...item, metadata }, problem };
}

function plain(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message } = error;
  const { code, retryable } = error as Partial<BridgeError>;
  return { name, message, code, retryable, cause: plain(error.cause) };
}

async function expectSame(given: Answered, deflates = true, list: object = {}, other: object = {}) {
  const here = await told(new ListResponse(answer(given), list), deflates);
  const response = answer(given);
  const there = await told(new ForeignList(response, other, { threads, origin, deflates }), deflates);
  expect(there).toEqual(here);
  expect(response.left).toBe(true);
  return here;
}

const folder = sharedMaterial('fixtures/oai');
const fixtures = folder === undefined ? [] : readdirSync(folder, { withFileTypes: true });

describe('A response that is read in a thread says what it says in this one', () => {
  test.each(fixtures.filter(({ name }) => name.endsWith('.xml')))('$name', async ({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name));
    for (const size of [97, 65_536]) await expectSame({ bytes, size }, size > 97);
  });

  const listOf = (count: number) => {
    const title = (index: number) => `<dc:title>${'é&amp;'.repeat(index)}</dc:title>`;
    const records = Array.from({ length: count }, (_, index) => record(`oai:x:${index}`, title(index)));
    const token = '<resumptionToken cursor="0">more</resumptionToken>';
    return envelope(`<ListRecords>${records.join('')}${token}</ListRecords>`);
  };
  const whole = listOf(450);
  const short = listOf(20);

  test('many records, more than are under way at a time', async () => {
    const { records } = await expectSame({ bytes: Buffer.from(whole), size: 10_000 });
    expect(records).toHaveLength(450);
  });

  test.each<[string, string, Partial<Answered>?]>([
    ['an error of the protocol', envelope('<error code="noRecordsMatch">nothing</error>'), { status: 422 }],
    ['nothing', ''],
    ['an HTML page', '<!DOCTYPE html><html><body>Login</body></html>'],
    ['an HTML page with a status', '<html><body>Sorry</body></html>', { status: 503 }],
    ['another document', '<feed xmlns="http://www.w3.org/2005/Atom"/>'],
    ['no list', envelope('<Identify/>')],
    ['no places left', 'Too many open scroll contexts', { status: 500 }],
    ['the first half', whole.slice(0, whole.length / 2)],
    ['damage', short.replace('oai:x:7<', 'oai:x:7&nbsp;<').replace('<dc:title>é', '<dc:title>\u0003é')],
    ['a record without an end', short.replaceAll('</record>', '')],
    ['a prefix that nobody declares', short.replaceAll('dc:title', 'other:title')],
  ])('%s', async (_, text, rest = {}) => {
    await expectSame({ bytes: Buffer.from(text), size: 4096, ...rest });
  });

  test('a connection that breaks: what came before is there, and the error is the same one', async () => {
    const breaks = new BridgeError('upstream-cut-off', 'the wire broke', {
      retryable: true,
      cause: Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
    });
    const given = { bytes: Buffer.from(whole.slice(0, 60_000)), size: 5000, breaks };
    const { records } = await expectSame(given);
    expect(records.length).toBeGreaterThan(50);
    const list = new ForeignList(answer(given), {}, { threads, origin, deflates: false });
    await expect(
      (async () => {
        for await (const _ of list);
      })(),
    ).rejects.toBe(breaks);
  });

  test('what was declared on one page counts on the next', async () => {
    const [here, there] = [{}, {}];
    const page = (text: string) => Buffer.from(envelope(`<ListRecords>${text}</ListRecords>`));
    const declared = record('oai:x:1', '<x:a xmlns:x="urn:x"/>');
    await expectSame({ bytes: page(declared), size: 500 }, true, here, there);
    const bytes = page(record('oai:x:2', '<x:a/>'));
    const { records } = await expectSame({ bytes, size: 500 }, true, here, there);
    expect(records).toMatchObject([{ repairs: [expect.stringContaining('urn:x')] }]);
  });
});

test('what needs more memory than a thread may have is refused, by its address, and the next is read', async () => {
  const small = createThreads(1, silent, { oldGeneration: 16, youngGeneration: 2 });
  onTestFinished(() => small.close());
  const read = async (text: string) => {
    const response = answer({ bytes: Buffer.from(text), size: 65_536 });
    for await (const _ of new ForeignList(response, {}, { threads: small, origin, deflates: true }));
  };
  const huge = record('oai:x:1', `<dc:title>${'<dc:a>x &amp; y</dc:a>'.repeat(650_000)}</dc:title>`);
  const refused = read(envelope(`<ListRecords>${huge}</ListRecords>`));
  await expect(refused).rejects.toMatchObject({
    code: 'out-of-memory',
    message: expect.stringContaining(origin.url),
  });
  await read(envelope(`<ListRecords>${record('oai:x:2')}</ListRecords>`));
});

test('payloads come deflated behind the records, and nobody waits for them who has left', async () => {
  const bytes = Buffer.from(envelope(`<ListRecords>${record('oai:x:1').repeat(250)}</ListRecords>`));
  const list = new ForeignList(answer({ bytes, size: 65_536 }), {}, { threads, origin, deflates: true });
  const items: (SourceItem | undefined)[] = [];
  for await (const some of list) items.push(...some.map((one) => readingOf(one)?.item));
  await list.whole();
  const payloads = items.flatMap((item) => item?.metadata ?? []);
  expect(payloads).toHaveLength(250);
  const isKept = ({ content, deflated }: (typeof payloads)[0]) =>
    deflated !== undefined && inflateRawSync(deflated).equals(content);
  expect(payloads.every(isKept)).toBe(true);
  const left = new ForeignList(answer({ bytes, size: 65_536 }), {}, { threads, origin, deflates: true });
  for await (const _ of left) break;
  await left.whole();
});

test('who leaves in the middle leaves nothing behind', async () => {
  const text = envelope(`<ListRecords>${record('oai:x:1').repeat(5000)}</ListRecords>`);
  const response = answer({ bytes: Buffer.from(text), size: 1000 });
  for await (const _ of new ForeignList(response, {}, { threads, origin, deflates: true })) break;
  expect(response.left).toBe(true);
  const bytes = Buffer.from(envelope(`<ListRecords>${record('oai:x:2')}</ListRecords>`));
  await expectSame({ bytes, size: 1000 });
});

test.skipIf(process.platform !== 'linux')('threads give way to this one, and no other does', async () => {
  const prioritiesOf = () =>
    readdirSync('/proc/self/task').map((id) => [id, getPriority(Number(id))] as const);
  const own = createThreads(1, silent);
  onTestFinished(() => own.close());
  const before = new Map(prioritiesOf());
  const bytes = Buffer.from(envelope(`<ListRecords>${record('oai:x:1')}</ListRecords>`));
  const list = new ForeignList(answer({ bytes, size: 100 }), {}, { threads: own, origin, deflates: true });
  for await (const _ of list);
  const after = prioritiesOf();
  const here = getPriority();
  const others = after.filter(([id]) => before.has(id));
  expect(others).toEqual(others.map(([id]) => [id, before.get(id)]));
  const begun = after.filter(([id]) => !before.has(id)).map(([, priority]) => priority);
  expect(begun.filter((priority) => priority > here)).toHaveLength(1);
});
