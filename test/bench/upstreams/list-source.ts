import { createHash } from 'node:crypto';
import { createReadStream, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/**
 * A Source of COUNT small resources whose lists lie in DIRECTORY as files, and of as many changes as `POST /change?COUNT` asks for:
 * `list-source COUNT DIRECTORY`. `GET /asked` says how many requests for resources came since.
 */
const count = Number(process.argv[2]);
const directory = process.argv[3] ?? '';
const partSize = 50_000;
const at = '2026-11-01T00:00:00Z';
const changedAt = '2026-11-02T00:00:00Z';
let changed = 0;
let asked = 0;

const server = createServer((request, response) => {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/asked') {
    response.end(String(asked));
    asked = 0;
    return;
  }
  if (pathname === '/change') {
    changed = Number(search.slice(1));
    response.end();
    return;
  }
  const [, part] = /^\/rl-(\d+)\.xml$/.exec(pathname) ?? [];
  if (part !== undefined) {
    const file = join(directory, `${part}.xml`);
    response.writeHead(200, { 'content-type': 'application/xml', 'content-length': statSync(file).size });
    createReadStream(file).pipe(response);
    return;
  }
  const [, number] = /^\/r\/(\d+)$/.exec(pathname) ?? [];
  if (number !== undefined) asked += 1;
  const text = number === undefined ? documentAt(pathname) : contentOf(Number(number));
  response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/xml' });
  response.end(text);
});
server.listen(0, '127.0.0.1', () => {
  for (let from = 0; from < count; from += partSize) {
    const numbers = Array.from({ length: Math.min(partSize, count - from) }, (_, index) => from + index);
    const text = list(
      'urlset',
      `capability="resourcelist" at="${at}"`,
      numbers.map((one) => entry(one, '')),
    );
    writeFileSync(join(directory, `${from / partSize}.xml`), text);
  }
  process.stdout.write(`${base()}\n`);
});

function base(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The first of them are those that change. */
function contentOf(number: number): string {
  return `<resource>${number}${number < changed ? ', changed' : ''}</resource>\n`;
}

function entry(number: number, change: string): string {
  const content = contentOf(number);
  const hash = createHash('sha256').update(content).digest('hex');
  const lastmod = change === '' ? at : changedAt;
  return `<url><loc>${base()}/r/${number}</loc><lastmod>${lastmod}</lastmod><rs:md ${change}hash="sha-256:${hash}" length="${content.length}" type="application/xml"/></url>`;
}

function documentAt(path: string): string | undefined {
  const place = (name: string, facts: string) => `<url><loc>${base()}/${name}</loc><rs:md ${facts}/></url>`;
  if (path === '/.well-known/resourcesync')
    return list('urlset', 'capability="description"', [place('cap.xml', 'capability="capabilitylist"')]);
  if (path === '/cap.xml')
    return list('urlset', 'capability="capabilitylist"', [
      place('rl.xml', 'capability="resourcelist"'),
      place('cl.xml', 'capability="changelist"'),
    ]);
  if (path === '/cl.xml') {
    const change = `change="updated" datetime="${changedAt}" `;
    const entries = Array.from({ length: changed }, (_, number) => entry(number, change));
    return list('urlset', `capability="changelist" from="${at}"`, entries);
  }
  if (path !== '/rl.xml') return undefined;
  const parts = Array.from(
    { length: Math.ceil(count / partSize) },
    (_, part) => `<sitemap><loc>${base()}/rl-${part}.xml</loc></sitemap>`,
  );
  return list('sitemapindex', `capability="resourcelist" at="${at}"`, parts);
}

function list(root: string, facts: string, entries: readonly string[]): string {
  const namespaces =
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${namespaces}>\n<rs:md ${facts}/>\n${entries.join('\n')}\n</${root}>\n`;
}
