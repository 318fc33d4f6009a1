import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toHttpDate, toIso } from '../../../src/core/datetime.ts';
import { storedZip } from '../conformance/stored-zip.ts';

interface Kept {
  readonly text: string;
  readonly lastmod: string;
  readonly type: string;
  /** Attributes and links that its entries have besides. */
  readonly more: string;
}

interface Change {
  readonly path: string;
  readonly kind: 'created' | 'updated' | 'deleted';
  readonly at: string;
}

export interface PutOptions {
  readonly type?: string;
  readonly more?: string;
}

/** What a test does to answers of one path; the default answer goes on where it returns false. */
export type Interference = (
  response: ServerResponse,
  headers: IncomingHttpHeaders,
  /** What would be answered. */
  body: Buffer,
) => boolean;

const begin = Date.parse('2026-11-01T00:00:00Z');

/**
 * A Source on loopback whose resources change as a test wants, a second later each time. Its Resource List is as of the
 * last `list()`, its Change List is open and reaches back to `forget()`.
 */
export class ChangingSource {
  readonly asked: string[] = [];
  readonly interferences = new Map<string, Interference>();
  origin = '';
  /** Which lists its Capability List names. */
  offers: readonly string[] = ['resourcelist', 'changelist'];
  /** What entries say of bytes. */
  facts: readonly ('hash' | 'length' | 'lastmod' | 'type')[] = ['hash', 'length', 'lastmod', 'type'];
  partSize = 1000;
  changesInPackage = 5;
  /** Change Dumps name their manifests outside of the packages. */
  linksManifests = false;
  /** Rewrites documents. */
  rewrite: (path: string, text: string) => string = (_, text) => text;
  readonly #kept = new Map<string, Kept>();
  #listed: ReadonlyMap<string, Kept> = new Map();
  #listedAt = begin;
  #changes: Change[] = [];
  #changesFrom = begin;
  #clock = begin;
  readonly #server = createServer((request, response) => {
    const path = request.url ?? '/';
    this.asked.push(path);
    const body = this.#bodyOf(path);
    const answer = body ?? Buffer.from('nothing is there');
    if (this.interferences.get(path)?.(response, request.headers, answer)) return;
    this.#answer(path, request.headers, response, body);
  });

  static async open(): Promise<ChangingSource> {
    const source = new ChangingSource();
    await new Promise<void>((resolve) => source.#server.listen(0, '127.0.0.1', resolve));
    source.origin = `http://127.0.0.1:${(source.#server.address() as AddressInfo).port}`;
    return source;
  }

  get now(): string {
    return toIso(new Date(this.#clock));
  }

  pass(seconds: number): void {
    this.#clock += seconds * 1000;
  }

  put(path: string, text: string, { type = 'text/plain', more = '' }: PutOptions = {}): void {
    this.pass(1);
    const kind = this.#kept.has(path) ? 'updated' : 'created';
    this.#kept.set(path, { text, lastmod: this.now, type, more });
    this.#changes.push({ path, kind, at: this.now });
  }

  remove(path: string): void {
    this.pass(1);
    this.#kept.delete(path);
    this.#changes.push({ path, kind: 'deleted', at: this.now });
  }

  /** The Resource List, and the dump, are of now. */
  list(): void {
    this.pass(1);
    this.#listed = new Map(this.#kept);
    this.#listedAt = this.#clock;
  }

  /** The Change List begins now. */
  forget(): void {
    this.pass(1);
    this.#changes = [];
    this.#changesFrom = this.#clock;
  }

  /** What is there, by the path in a copy without folders before it. */
  contents(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#kept].map(([path, { text }]) => [path.slice(1), text]));
  }

  /** Paths that were asked for since, documents left out; and forgets them. */
  takeAsked(): string[] {
    return this.asked.splice(0).filter((path) => !/\.(?:xml|zip)$|^\/\.well-known|^\/robots/.test(path));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.closeAllConnections();
      this.#server.close(() => resolve());
    });
  }

  #answer(
    path: string,
    asked: IncomingHttpHeaders,
    response: ServerResponse,
    body: Buffer | undefined,
  ): void {
    const date = toHttpDate(this.now);
    if (body === undefined) {
      response.writeHead(404, { date }).end('nothing is there');
      return;
    }
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    const kept = this.#kept.get(path);
    const headers = {
      date,
      etag,
      'content-type': kept?.type ?? (path.endsWith('.zip') ? 'application/zip' : 'application/xml'),
      ...(kept ? { 'last-modified': toHttpDate(kept.lastmod) } : {}),
    };
    if (asked['if-none-match'] === etag) {
      response.writeHead(304, headers).end();
      return;
    }
    const start = Number(/^bytes=(\d+)-$/.exec(asked.range ?? '')?.[1] ?? 0);
    if (start > 0 && asked['if-range'] === etag) {
      const range = `bytes ${start}-${body.length - 1}/${body.length}`;
      const rest = body.subarray(start);
      response
        .writeHead(206, { ...headers, 'content-range': range, 'content-length': rest.length })
        .end(rest);
      return;
    }
    response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
  }

  #bodyOf(path: string): Buffer | undefined {
    const text = this.#document(path);
    if (typeof text === 'string') return Buffer.from(this.rewrite(path, text));
    if (text) return text;
    const kept = this.#kept.get(path);
    return kept && Buffer.from(kept.text);
  }

  #document(path: string): string | Buffer | undefined {
    if (path === '/.well-known/resourcesync')
      return list('urlset', 'capability="description"', [
        `${this.#loc('/cap.xml')}${md('capability="capabilitylist"')}`,
      ]);
    if (path === '/cap.xml') {
      const names = {
        ...{ resourcelist: '/rl.xml', changelist: '/cl.xml', resourcedump: '/rd.xml' },
        changedump: '/cd.xml',
      };
      const entries = Object.entries(names).filter(([name]) => this.offers.includes(name));
      return list(
        'urlset',
        'capability="capabilitylist"',
        entries.map(([name, place]) => `${this.#loc(place)}${md(`capability="${name}"`)}`),
        this.#up('/.well-known/resourcesync'),
      );
    }
    const at = toIso(new Date(this.#listedAt));
    if (path === '/rl.xml') return this.#resourceList(at);
    const [, part] = /^\/rl-(\d+)\.xml$/.exec(path) ?? [];
    if (part !== undefined) return this.#part(Number(part), at);
    if (path === '/cl.xml') return this.#changeList();
    if (path === '/rd.xml') {
      const length = this.#package(at).length;
      const facts = md(`type="application/zip" length="${length}"`);
      return list(
        'urlset',
        `capability="resourcedump" at="${at}"`,
        [`${this.#loc('/rd-1.zip')}${facts}`],
        this.#up('/cap.xml'),
      );
    }
    if (path === '/rd-1.zip') return this.#package(at);
    if (path === '/cd.xml') return this.#changeDump();
    const [, number, what] = /^\/cd-(\d+)(\.zip|-manifest\.xml)$/.exec(path) ?? [];
    const changes = number === undefined ? undefined : this.#packages()[Number(number)];
    if (changes === undefined) return undefined;
    return what === '.zip' ? this.#changePackage(changes) : this.#changeManifest(changes);
  }

  #resourceList(at: string): string {
    if (this.#listed.size <= this.partSize) return this.#part(0, at);
    const parts = Math.ceil(this.#listed.size / this.partSize);
    const members = Array.from({ length: parts }, (_, part) => this.#loc(`/rl-${part}.xml`));
    return list('sitemapindex', `capability="resourcelist" at="${at}"`, members, this.#up('/cap.xml'));
  }

  #part(part: number, at: string): string {
    const entries = [...this.#listed].slice(part * this.partSize, (part + 1) * this.partSize);
    return list(
      'urlset',
      `capability="resourcelist" at="${at}"`,
      entries.map(([path, kept]) => this.#entry(path, kept, '')),
      this.#up('/cap.xml'),
    );
  }

  #changeList(): string {
    const entries = this.#changes.map(({ path, kind, at }) => {
      const kept = this.#kept.get(path);
      const change = `change="${kind}" datetime="${at}" `;
      // As it is now: whoever follows later entries comes to the same.
      return kind === 'deleted' || !kept
        ? `${this.#loc(path)}${md(change)}`
        : this.#entry(path, kept, change);
    });
    const from = toIso(new Date(this.#changesFrom));
    return list('urlset', `capability="changelist" from="${from}"`, entries, this.#up('/cap.xml'));
  }

  /** Of so many changes each; the last one is open. */
  #packages(): readonly (readonly Change[])[] {
    const packages: (readonly Change[])[] = [];
    for (let at = 0; at < this.#changes.length; at += this.changesInPackage)
      packages.push(this.#changes.slice(at, at + this.changesInPackage));
    return packages.length === 0 ? [[]] : packages;
  }

  #intervalOf(changes: readonly Change[]): string {
    const packages = this.#packages();
    const number = packages.findIndex((one) => one[0] === changes[0]);
    const from = number <= 0 ? toIso(new Date(this.#changesFrom)) : packages[number - 1]?.at(-1)?.at;
    const until = number < packages.length - 1 ? ` until="${changes.at(-1)?.at}"` : '';
    return `from="${from}"${until}`;
  }

  #changeDump(): string {
    const from = toIso(new Date(this.#changesFrom));
    const entries = this.#packages().map((changes, number) => {
      const contents = this.linksManifests
        ? `<rs:ln rel="contents" href="${this.origin}/cd-${number}-manifest.xml" type="application/xml"/>`
        : '';
      const length = this.#changePackage(changes).length;
      const facts = `type="application/zip" length="${length}" ${this.#intervalOf(changes)}`;
      return `${this.#loc(`/cd-${number}.zip`)}${md(facts)}${contents}`;
    });
    return list('urlset', `capability="changedump" from="${from}"`, entries, this.#up('/cap.xml'));
  }

  #changeManifest(changes: readonly Change[]): string {
    const entries = changes.map((change) => {
      const { path, kind, at } = change;
      const facts = `change="${kind}" datetime="${at}" `;
      const kept = this.#kept.get(path);
      return kind === 'deleted' || !kept
        ? `${this.#loc(path)}${md(facts)}`
        : this.#entry(path, kept, `${facts}path="/c${this.#changes.indexOf(change)}" `);
    });
    const facts = `capability="changedump-manifest" ${this.#intervalOf(changes)}`;
    return list('urlset', facts, entries, this.#up('/cap.xml'));
  }

  #changePackage(changes: readonly Change[]): Buffer {
    const members = changes.flatMap((change) => {
      const kept = change.kind === 'deleted' ? undefined : this.#kept.get(change.path);
      return kept ? [[`c${this.#changes.indexOf(change)}`, kept.text] as const] : [];
    });
    return storedZip({ 'manifest.xml': this.#changeManifest(changes), ...Object.fromEntries(members) });
  }

  #package(at: string): Buffer {
    const listed = [...this.#listed];
    const entries = listed.map(([path, kept]) => this.#entry(path, kept, `path="${path}" `));
    const manifest = list(
      'urlset',
      `capability="resourcedump-manifest" at="${at}"`,
      entries,
      this.#up('/cap.xml'),
    );
    const members = Object.fromEntries(listed.map(([path, { text }]) => [path.slice(1), text]));
    return storedZip({ 'manifest.xml': this.rewrite('manifest.xml', manifest), ...members });
  }

  #entry(path: string, { text, lastmod, type, more }: Kept, before: string): string {
    const said = {
      hash: `hash="md5:${digest('md5', text)} sha-256:${digest('sha256', text)}"`,
      length: `length="${Buffer.byteLength(text)}"`,
      type: `type="${type}"`,
    };
    const stated = this.facts.flatMap((fact) => (fact === 'lastmod' ? [] : said[fact])).join(' ');
    const time = this.facts.includes('lastmod') ? `<lastmod>${lastmod}</lastmod>` : '';
    return `${this.#loc(path)}${time}${md(before + stated)}${more}`;
  }

  #loc(path: string): string {
    return `<loc>${this.origin}${path.replaceAll('&', '&amp;')}</loc>`;
  }

  #up(path: string): string {
    return `<rs:ln rel="up" href="${this.origin}${path}"/>`;
  }
}

function digest(name: string, text: string): string {
  return createHash(name).update(text).digest('hex');
}

function md(attributes: string): string {
  return `<rs:md ${attributes.trim()}/>`;
}

function list(
  root: 'urlset' | 'sitemapindex',
  facts: string,
  entries: readonly string[],
  links = '',
): string {
  const element = root === 'urlset' ? 'url' : 'sitemap';
  const namespaces =
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"';
  const lines = entries.map((entry) => `<${element}>${entry}</${element}>\n`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${namespaces}>${links}${md(facts)}\n${lines}</${root}>\n`;
}
