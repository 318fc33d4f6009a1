import { performance } from 'node:perf_hooks';
import { checkSource } from '../../src/conformance/survey/source-check.ts';

/**
 * How fast a Source is checked, and in how much memory: a Resource List Index over lists of 50,000 entries with four
 * links each. `npm run bench validate [resources]` prints one line of JSON. Target: 20,000 entries/s, 256 MB.
 */
const count = Number(process.argv[2] ?? 1_000_000);
const perList = 50_000;
const base = 'https://repo.example.org/rs/bench';
const about = `<rs:ln rel="describedby" href="${base}/about"/>`;
const at = 'at="2026-11-21T00:00:00Z" completed="2026-11-21T00:01:00Z"';
const lists = Math.ceil(count / perList);
let bytes = 0;

const started = performance.now();
const checked = await checkSource(`${base}/resourcelist.xml`, async (uri) => documentAt(uri));
const seconds = (performance.now() - started) / 1000;
const entries = checked.reduce(
  (sum, { document }) => sum + (document?.kind === 'RL' ? document.entries : 0),
  0,
);
const findings = checked.flatMap(({ uri, findings: own }) => own.map(({ rule }) => `${rule} ${uri}`));
const line = {
  entries,
  seconds: Number(seconds.toFixed(2)),
  entriesPerSecond: Math.round(entries / seconds),
  megabytes: Math.round(bytes / 1e6),
  findings: findings.length,
  maxRssMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
};
process.stdout.write(`${JSON.stringify(line)}\n`);
if (entries !== count || findings.length > 0) {
  process.stderr.write(`${findings.slice(0, 5).join('\n')}\n`);
  process.exitCode = 1;
}

/** The documents are made while they are read: writing them costs a tenth of checking them. */
async function* documentAt(uri: string): AsyncGenerator<Uint8Array> {
  for (const text of textOf(uri)) {
    const chunk = Buffer.from(text);
    bytes += chunk.length;
    yield chunk;
  }
}

function textOf(uri: string): Iterable<string> {
  const name = uri.slice(base.length + 1);
  if (name === 'description.xml') return [description()];
  if (name === 'capabilitylist.xml') return [capabilityList()];
  if (name === 'resourcelist.xml') return [index()];
  return list(Number(name.replace(/\D/g, '')));
}

function open(root: string, up: string | undefined, md: string): string {
  const link = up === undefined ? '' : `<rs:ln rel="up" href="${base}/${up}"/>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">\n${link}<rs:md ${md}/>`;
}

function description(): string {
  const entry = `<url><loc>${base}/capabilitylist.xml</loc><rs:md capability="capabilitylist"/>${about}</url>`;
  return `${open('urlset', undefined, 'capability="description"')}${about}${entry}</urlset>`;
}

function capabilityList(): string {
  const entry = `<url><loc>${base}/resourcelist.xml</loc><rs:md capability="resourcelist"/></url>`;
  return `${open('urlset', 'description.xml', 'capability="capabilitylist"')}${about}${entry}</urlset>`;
}

function index(): string {
  const entry = (_: unknown, number: number) =>
    `<sitemap><loc>${base}/list-${number}.xml</loc><rs:md ${at}/></sitemap>`;
  const entries = Array.from({ length: lists }, entry).join('\n');
  return `${open('sitemapindex', 'capabilitylist.xml', `capability="resourcelist" ${at}`)}${entries}</sitemapindex>`;
}

function* list(number: number): Generator<string> {
  yield `${open('urlset', 'capabilitylist.xml', `capability="resourcelist" ${at}`)}<rs:ln rel="index" href="${base}/resourcelist.xml"/>`;
  const last = Math.min(count, (number + 1) * perList);
  for (let start = number * perList; start < last; start += 100) {
    let text = '';
    for (let entry = start; entry < Math.min(start + 100, last); entry += 1) text += entryOf(entry);
    yield text;
  }
  yield '</urlset>';
}

function entryOf(number: number): string {
  const item = `${base}/items/oai:repo.example.org:2324~2F${number}`;
  const hash = `sha-256:${number.toString(16).padStart(64, 'a')}`;
  return `<url><loc>${item}/oai_dc.xml</loc><lastmod>2026-11-20T00:00:00Z</lastmod><rs:md hash="${hash}" length="${1000 + (number % 5000)}" type="application/xml"/><rs:ln rel="describes" href="${item}/files/1-article.pdf"/><rs:ln rel="profile" href="http://www.openarchives.org/OAI/2.0/oai_dc/"/><rs:ln rel="collection" href="${base}/collections/col_2324_17"/><rs:ln rel="via" href="https://repo.example.org/oai?verb=GetRecord&amp;metadataPrefix=oai_dc&amp;identifier=oai:repo.example.org:2324/${number}" type="text/xml"/></url>\n`;
}
