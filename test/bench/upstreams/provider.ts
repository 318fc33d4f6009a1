import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An OAI-PMH provider for benchmarks, in a process of its own: `provider.ts RECORDS PAGE_SIZE [LISTED] [FILE_EVERY]
 * [PORT]`. It prints its URL. Record `i` has about 1.9 kB of oai_dc; `POST /touch?count=100&salt=x` changes so many of them. Of all
 * records it lists only the first LISTED ones, if that is given, and each FILE_EVERYth of them has a file. Its pages are
 * made before it prints its URL, where they are not too many: it has the same cores as what is measured.
 */
const [records = 100_000, pageSize = 1000, listed = records, fileEvery = 0, port = 0] = process.argv
  .slice(2)
  .map(Number);
const fileBytes = Buffer.alloc(4096, '%PDF-1.7 ');
let origin = '';
const base = '2026-01-01T00:00:00Z';
const touched = new Map<number, { salt: string; at: string }>();

const words =
  'repository archive harvest metadata record bitstream collection journal thesis faculty index page'.split(
    ' ',
  );

function sentence(seed: number, length: number): string {
  let text = '';
  for (let state = seed * 2_654_435_761, index = 0; index < length; index += 1) {
    state = (state * 1_103_515_245 + 12_345) >>> 0;
    text += `${words[state % words.length]}${state % 97} `;
  }
  return text;
}

function record(index: number): string {
  const change = touched.get(index);
  const stamp = change?.at ?? base;
  return `<record><header><identifier>oai:bench.example.org:${index}</identifier><datestamp>${stamp}</datestamp><setSpec>faculty:${index % 50}</setSpec><setSpec>type:${index % 7}</setSpec></header><metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd"><dc:title>${sentence(index, 10)}${change?.salt ?? ''}</dc:title><dc:creator>Author, ${index % 997}</dc:creator><dc:subject>${sentence(index + 1, 4)}</dc:subject><dc:description>${sentence(index + 2, 92)}</dc:description><dc:date>2020-01-01</dc:date><dc:type>article</dc:type><dc:identifier>https://bench.example.org/record/${index}</dc:identifier>${fileOf(index)}</oai_dc:dc></metadata></record>`;
}

/** Its address is as long as that of any other, so that copies of rows can have it by counting. */
function fileOf(index: number): string {
  if (fileEvery === 0 || index % fileEvery !== 0) return '';
  return `<dc:identifier>${origin}/files/${100_000_000 + index}/article.pdf</dc:identifier>`;
}

/** Records of pages of the whole list, by where they start, until some are touched. */
const prepared = new Map<number, readonly Buffer[]>();
const mostPrepared = 150_000;

function prepare(): void {
  if (listed > mostPrepared || pageSize > 10_000) return;
  for (let start = 0; start < listed; start += pageSize) {
    const chunks = [...recordsOf(undefined, start, Math.min(listed, start + pageSize))];
    prepared.set(
      start,
      chunks.map((chunk) => Buffer.from(chunk)),
    );
  }
}

function* recordsOf(ids: readonly number[] | undefined, start: number, end: number): Generator<string> {
  let chunk = '';
  for (let index = start; index < end; index += 1) {
    chunk += record(ids?.[index] ?? index);
    if (chunk.length > 65_536) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

function* page(ids: readonly number[] | undefined, start: number): Generator<string | Buffer> {
  const total = ids?.length ?? listed;
  const end = Math.min(total, start + pageSize);
  yield `<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>${now()}</responseDate><request verb="ListRecords">http://127.0.0.1/oai</request>`;
  if (total === 0) {
    yield '<error code="noRecordsMatch">nothing</error></OAI-PMH>';
    return;
  }
  yield '<ListRecords>';
  yield* (ids === undefined ? prepared.get(start) : undefined) ?? recordsOf(ids, start, end);
  const token = end < total ? `${ids ? 'i' : 'f'}${end}` : '';
  yield `<resumptionToken completeListSize="${total}" cursor="${start}">${token}</resumptionToken></ListRecords></OAI-PMH>`;
}

function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

let selected: number[] = [];

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const query = url.searchParams;
  if (url.pathname === '/touch') {
    prepared.clear();
    for (let index = 0; index < Number(query.get('count')); index += 1) {
      const id = Math.floor((index * records) / Number(query.get('count')));
      touched.set(id, { salt: query.get('salt') ?? '', at: now() });
    }
    response.end('ok');
    return;
  }
  if (url.pathname.startsWith('/files/')) {
    response.setHeader('content-type', 'application/pdf').setHeader('content-length', fileBytes.length);
    response.end(request.method === 'HEAD' ? undefined : fileBytes);
    return;
  }
  response.setHeader('content-type', 'text/xml; charset=utf-8');
  switch (query.get('verb')) {
    case 'Identify':
      response.end(
        `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>${now()}</responseDate><request verb="Identify">http://127.0.0.1/oai</request><Identify><repositoryName>Bench</repositoryName><baseURL>http://127.0.0.1/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>${base}</earliestDatestamp><deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify></OAI-PMH>`,
      );
      return;
    case 'ListMetadataFormats':
      response.end(
        `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>${now()}</responseDate><request/><ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats></OAI-PMH>`,
      );
      return;
    case 'ListSets':
      response.end(
        `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>${now()}</responseDate><request/><error code="noSetHierarchy">none</error></OAI-PMH>`,
      );
      return;
    default: {
      const token = query.get('resumptionToken');
      const from = query.get('from');
      if (from !== null) selected = [...touched].flatMap(([id, { at }]) => (at >= from ? [id] : []));
      const incremental = from !== null || token?.startsWith('i');
      for (const chunk of page(incremental ? selected : undefined, Number(token?.slice(1) ?? 0))) {
        if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    }
  }
});

server.listen(port, '127.0.0.1', () => {
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  prepare();
  process.stdout.write(`${origin}/oai\n`);
});
