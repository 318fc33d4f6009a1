import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { storedZip } from './stored-zip.ts';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A Source on loopback that is right in every respect, until a test replaces something by its path. */
export interface SmallSource {
  readonly origin: string;
  /** By path; the test may replace, change and delete. */
  readonly answers: Map<string, Answer>;
  /** The text of a document, with a replacement made in it. */
  edit(path: string, from: string | RegExp, to: string): void;
  /** Adds members to a package, or takes them out of it (undefined). */
  repack(path: string, changes: Readonly<Record<string, string | undefined>>): void;
  readonly asked: string[];
  /** Of the last request for a path. */
  headersOf(path: string): IncomingHttpHeaders | undefined;
  close(): Promise<void>;
}

export const [first, second, third] = [
  '2026-01-01T00:00:00Z',
  '2026-01-02T00:00:00Z',
  '2026-01-03T00:00:00Z',
];
const lastmod = '2025-12-31T10:00:00Z';
const lastModified = 'Wed, 31 Dec 2025 10:00:00 GMT';

export async function openSmallSource(): Promise<SmallSource> {
  const answers = new Map<string, Answer>();
  const packages = new Map<string, Record<string, string>>();
  const asked: string[] = [];
  const requests = new Map<string, IncomingHttpHeaders>();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    requests.set(path, request.headers);
    const { status = 200, headers = {}, body = '' } = answers.get(path) ?? { status: 404 };
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    response.writeHead(status, { ...length, ...headers });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const source: SmallSource = {
    origin,
    answers,
    asked,
    headersOf: (path) => requests.get(path),
    edit(path, from, to) {
      const answer = answers.get(path);
      const body = String(answer?.body);
      const edited = body.replace(from, to);
      if (edited === body) throw new Error(`${from} is not in ${path}`);
      answers.set(path, { ...answer, body: edited });
    },
    repack(path, changes) {
      const members: Record<string, string> = {};
      for (const [name, text] of Object.entries({ ...packages.get(path), ...changes })) {
        if (text !== undefined) members[name] = text;
      }
      packages.set(path, members);
      const body = storedZip(members);
      answers.set(path, { headers: { 'content-type': 'application/zip' }, body });
      const dump = path.replace(/-1\.zip$/, '.xml');
      const facts = `length="${body.length}" hash="sha-256:${createHash('sha256').update(body).digest('hex')}"`;
      const listed = answers.get(dump);
      if (listed) {
        const text = String(listed.body).replace(/length="\d+" hash="[^"]*"/, facts);
        answers.set(dump, { ...listed, body: text });
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  for (const [path, text] of Object.entries(documents(origin))) {
    answers.set(path, { headers: { 'content-type': 'application/xml' }, body: text });
  }
  for (const name of ['1', '2', '3', '4']) answers.set(`/r/${name}`, resource(name));
  answers.set('/r/1-memento', {
    headers: {
      'content-type': 'text/plain',
      'memento-datetime': lastModified,
      link: `<${origin}/r/1>; rel="original", <${origin}/timegate/1>; rel="timegate"`,
    },
    body: content('1'),
  });
  answers.set('/timemap/1', {
    headers: { 'content-type': 'application/link-format' },
    body:
      `<${origin}/r/1>; rel="original",\n<${origin}/timemap/1>; rel="self"; type="application/link-format",\n` +
      `<${origin}/r/1-memento>; rel="first last memento"; datetime="${lastModified}"\n`,
  });
  answers.set('/timegate/1', {
    status: 302,
    headers: { location: '/r/1-memento', vary: 'accept-datetime' },
  });
  answers.set('/mirror/1', { headers: { 'content-type': 'text/plain' }, body: content('1') });
  answers.set('/robots.txt', { body: `User-agent: *\nSitemap: ${origin}/rl.xml\n` });
  answers.set('/', { headers: { 'content-type': 'text/html' }, body: '<html><body>Welcome</body></html>' });
  source.repack('/rd-1.zip', {
    'manifest.xml': String(answers.get('/rdm.xml')?.body),
    ...Object.fromEntries(['1', '2', '3', '4'].map((name) => [`r/${name}`, content(name)])),
  });
  source.repack('/cd-1.zip', { 'manifest.xml': String(answers.get('/cdm.xml')?.body), 'r/4': content('4') });
  return source;
}

export const content = (name: string) => `This is resource ${name}.\n`;

function resource(name: string): Answer {
  const headers = { 'content-type': 'text/plain', 'last-modified': lastModified };
  return { headers, body: content(name) };
}

function documents(origin: string): Readonly<Record<string, string>> {
  const open = (root: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">\n`;
  const uri = (path: string) => `${origin}/${path}`;
  const ln = (rel: string, path: string, more = '') => `<rs:ln rel="${rel}" href="${uri(path)}"${more}/>`;
  const md = (attributes: string) => `<rs:md ${attributes}/>`;
  const facts = (name: string) => {
    const hash = createHash('sha256').update(content(name)).digest('hex');
    return `hash="sha-256:${hash}" length="${content(name).length}" type="text/plain"`;
  };
  const build = (element: 'url' | 'sitemap', head: string, entries: readonly string[]) => {
    const root = element === 'url' ? 'urlset' : 'sitemapindex';
    const lines = entries.map((entry) => `<${element}>${entry}</${element}>\n`).join('');
    return `${open(root)}${head}\n${lines}</${root}>\n`;
  };
  const urlset = (head: string, ...entries: string[]) => build('url', head, entries);
  const index = (head: string, ...entries: string[]) => build('sitemap', head, entries);
  const loc = (path: string) => `<loc>${uri(path)}</loc>`;
  const up = ln('up', 'cap.xml');
  const listed = (name: string, links = '') =>
    `${loc(`r/${name}`)}<lastmod>${lastmod}</lastmod>${md(facts(name))}${links}`;
  const changed = (name: string, change: string, time: string) =>
    `${loc(`r/${name}`)}${md(`change="${change}" datetime="${time}"`)}`;
  const links =
    ln('memento', 'r/1-memento', ` modified="${lastmod}" ${facts('1')}`) +
    ln('timegate', 'timegate/1') +
    ln('timemap', 'timemap/1', ' type="application/link-format"') +
    ln('duplicate', 'mirror/1');
  const zip = 'type="application/zip" length="0" hash="sha-256:0"';
  return {
    '/.well-known/resourcesync': urlset(
      ln('describedby', 'about') + md('capability="description"'),
      loc('cap.xml') + md('capability="capabilitylist"') + ln('describedby', 'about'),
    ),
    '/cap.xml': urlset(
      ln('describedby', 'about') + ln('up', '.well-known/resourcesync') + md('capability="capabilitylist"'),
      loc('rl.xml') + md('capability="resourcelist"'),
      loc('rd.xml') + md('capability="resourcedump"'),
      loc('cl.xml') + md('capability="changelist"'),
      loc('cd.xml') + md('capability="changedump"'),
      loc('cla.xml') + md('capability="changelist-archive"'),
    ),
    '/rl.xml': index(
      up + md(`capability="resourcelist" at="${second}"`),
      loc('rl-1.xml') + md(`at="${second}"`),
      loc('rl-2.xml') + md(`at="${second}"`),
    ),
    '/rl-1.xml': urlset(
      up + ln('index', 'rl.xml') + md(`capability="resourcelist" at="${second}"`),
      listed('1', links),
      listed('2'),
    ),
    '/rl-2.xml': urlset(
      up + ln('index', 'rl.xml') + md(`capability="resourcelist" at="${second}"`),
      listed('3'),
      listed('4'),
    ),
    '/rd.xml': urlset(
      up + md(`capability="resourcedump" at="${second}"`),
      loc('rd-1.zip') + md(`${zip} at="${second}"`) + ln('contents', 'rdm.xml', ' type="application/xml"'),
    ),
    '/rdm.xml': urlset(
      up + md(`capability="resourcedump-manifest" at="${second}"`),
      ...['1', '2', '3', '4'].map((name) => loc(`r/${name}`) + md(`${facts(name)} path="/r/${name}"`)),
    ),
    '/cl.xml': index(
      up + md(`capability="changelist" from="${first}"`),
      loc('cl-1.xml') + md(`from="${first}" until="${second}"`),
      loc('cl-2.xml') + md(`from="${second}"`),
    ),
    '/cl-1.xml': urlset(
      up + ln('index', 'cl.xml') + md(`capability="changelist" from="${first}" until="${second}"`),
      changed('4', 'created', '2026-01-01T10:00:00Z'),
      changed('9', 'deleted', '2026-01-01T11:00:00Z'),
    ),
    '/cl-2.xml': urlset(
      up + ln('index', 'cl.xml') + md(`capability="changelist" from="${second}"`),
      changed('2', 'updated', '2026-01-02T10:00:00Z'),
    ),
    '/cd.xml': urlset(
      up + md(`capability="changedump" from="${first}"`),
      loc('cd-1.zip') +
        md(`${zip} from="${first}" until="${second}"`) +
        ln('contents', 'cdm.xml', ' type="application/xml"'),
    ),
    '/cdm.xml': urlset(
      up + md(`capability="changedump-manifest" from="${first}" until="${second}"`),
      loc('r/4') + md(`change="created" datetime="2026-01-01T10:00:00Z" ${facts('4')} path="/r/4"`),
      loc('r/9') + md('change="deleted" datetime="2026-01-01T11:00:00Z"'),
    ),
    '/cla.xml': urlset(
      up + md('capability="changelist-archive"'),
      loc('cl-1.xml') + md(`from="${first}" until="${second}"`),
    ),
  };
}
