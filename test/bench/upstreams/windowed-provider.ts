import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An OAI-PMH provider far away: `windowed-provider.ts RECORDS PAGE_SIZE LATENCY_MS [ENDPOINTS]`. Every answer
 * leaves so many milliseconds after its request; datestamps are spread evenly over three years, `from` and `until` are
 * honoured. It prints its URL (`…/oai`; with several endpoints `…/0`, `…/1`, …), and tells at `/seen` how many
 * requests there were, and how many at once at most.
 */
const [records = 20_000, pageSize = 100, latency = 50] = process.argv.slice(2).map(Number);
const begin = Date.parse('2023-01-01T00:00:00Z');
const spacing = Math.floor((3 * 365 * 86_400) / records) * 1000;

const seen = { requests: 0, most: 0 };
let under = 0;

const iso = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
const filler = 'repository archive harvest metadata record bitstream collection journal '.repeat(12);

function record(index: number): string {
  return (
    `<record><header><identifier>oai:far.example.org:${index}</identifier><datestamp>${iso(begin + index * spacing)}</datestamp></header>` +
    '<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">' +
    `<dc:title>Record ${index}</dc:title><dc:description>${filler}</dc:description>` +
    `<dc:identifier>https://far.example.org/record/${index}</dc:identifier></oai_dc:dc></metadata></record>`
  );
}

/** The first index at or behind a moment; days are their first second. */
function indexAt(text: string | null, whole: boolean): number | undefined {
  if (!text) return undefined;
  const day = text.length === 10;
  const moment = Date.parse(day ? `${text}T${whole ? '23:59:59' : '00:00:00'}Z` : text);
  return Math.ceil((moment - begin) / spacing);
}

function list(query: URLSearchParams): string {
  const verb = query.get('verb') ?? '';
  const token = query.get('resumptionToken')?.split('-').map(Number);
  const [start = 0, end = records, first = 0] = token ?? bounds(query);
  if (end <= start) return '<error code="noRecordsMatch">nothing</error>';
  const stop = Math.min(end, start + pageSize);
  let text = `<${verb}>`;
  for (let index = start; index < stop; index += 1) {
    const whole = record(index);
    text += verb === 'ListRecords' ? whole : whole.slice(8, whole.indexOf('</header>') + 9);
  }
  const next = stop < end ? `${stop}-${end}-${first}` : '';
  if (next !== '' || token !== undefined)
    text += `<resumptionToken completeListSize="${end - first}" cursor="${start - first}">${next}</resumptionToken>`;
  return `${text}</${verb}>`;
}

function bounds(query: URLSearchParams): [number, number, number] {
  const start = Math.max(0, indexAt(query.get('from'), false) ?? 0);
  const until = query.get('until');
  const last = until === null ? records : Math.min(records, (indexAt(until, true) ?? 0) + 1);
  return [start, isOn(until, last - 1) ? last : Math.max(start, last - 1), start];
}

/** Whether the record at this place is not behind `until`. */
function isOn(until: string | null, index: number): boolean {
  if (until === null) return true;
  const limit = Date.parse(until.length === 10 ? `${until}T23:59:59Z` : until);
  return begin + index * spacing <= limit;
}

function answer(query: URLSearchParams): string {
  switch (query.get('verb')) {
    case 'Identify':
      return (
        '<Identify><repositoryName>Far away</repositoryName><baseURL>http://127.0.0.1/oai</baseURL><protocolVersion>2.0</protocolVersion>' +
        `<adminEmail>a@example.org</adminEmail><earliestDatestamp>${iso(begin)}</earliestDatestamp>` +
        '<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>'
      );
    case 'ListMetadataFormats':
      return '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>';
    case 'ListSets':
      return '<error code="noSetHierarchy">none</error>';
    case 'ListRecords':
    case 'ListIdentifiers':
      return list(query);
    default:
      return '<error code="badVerb">?</error>';
  }
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (url.pathname === '/seen') {
    response.end(JSON.stringify(seen));
    seen.requests = 0;
    seen.most = 0;
    return;
  }
  seen.requests += 1;
  under += 1;
  seen.most = Math.max(seen.most, under);
  response.once('close', () => {
    under -= 1;
  });
  const body = `<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>${iso(Date.now())}</responseDate><request>http://127.0.0.1${url.pathname}</request>${answer(url.searchParams)}</OAI-PMH>`;
  setTimeout(() => {
    response.writeHead(200, {
      'content-type': 'text/xml; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  }, latency);
});

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
