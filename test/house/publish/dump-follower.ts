import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Publication } from '../../../src/publish/published/publication.ts';
import { rootOf, textOf } from './reading.ts';
import { baseUrl } from './seed.ts';
import { readZip } from './zip-reading.ts';

/** An entry of a manifest. */
export interface PackedEntry {
  readonly loc: string;
  readonly change: string | undefined;
  readonly hash: string | undefined;
  readonly path: string | undefined;
  /** The links of the entry: relation and address. */
  readonly links: readonly string[];
  /** The member that `path` leads to. */
  readonly bytes: Buffer | undefined;
}

const attribute = (line: string, name: string) => new RegExp(`<rs:md[^>]* ${name}="([^"]*)"`).exec(line)?.[1];

/** The packages that a dump lists, over an index or not, with their intervals. */
export async function packagesOf(
  publication: Publication,
  path: string,
): Promise<readonly { readonly path: string; readonly from: string; readonly until: string }[]> {
  const text = await textOf(publication, path);
  const entries = [...text.matchAll(/<loc>([^<]*)<\/loc>(<rs:md[^>]*>)?/g)].map(([, loc = '', md = '']) => ({
    path: loc.slice(baseUrl.length + 1),
    from: attribute(md, 'from') ?? '',
    until: attribute(md, 'until') ?? '',
  }));
  if (!text.includes('<sitemapindex')) return entries;
  return (await Promise.all(entries.map((part) => packagesOf(publication, part.path)))).flat();
}

/** What a package has; that it says of its members what is true of them is expected here. */
export async function readPackage(publication: Publication, path: string): Promise<readonly PackedEntry[]> {
  const document = await publication.find(path);
  if (!document) throw new Error(`${path} is not published`);
  const members = await readZip(await buffer(document.plain.open(0, document.plain.length)));
  const manifest = members.get('manifest.xml')?.toString() ?? '';
  expect(manifest).toBe(await textOf(publication, path.replace(/\.zip$/, '-manifest.xml')));
  const entries = manifest.split('\n').flatMap((line): readonly PackedEntry[] => {
    const loc = /^<url><loc>([^<]*)<\/loc>/.exec(line)?.[1];
    if (loc === undefined) return [];
    const member = attribute(line, 'path');
    const bytes = member === undefined ? undefined : members.get(member.slice(1));
    const hash = attribute(line, 'hash');
    expect(bytes && `sha-256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(hash);
    const links = [...line.matchAll(/<rs:ln rel="([^"]*)" href="([^"]*)"/g)].map(
      ([, rel, href]) => `${rel} ${href}`,
    );
    return [{ loc, change: attribute(line, 'change'), hash, path: member, links, bytes }];
  });
  return entries;
}

/** Who follows a set by its dumps alone: a Resource Dump first, then every package of the Change Dump. */
export class DumpFollower {
  /** The bytes of each resource, by its address. */
  readonly copy = new Map<string, string>();
  readonly #publication: Publication;
  readonly #set: string;
  #seen = '';

  constructor(publication: Publication, set: string) {
    this.#publication = publication;
    this.#set = set;
  }

  async takeBaseline(): Promise<void> {
    const list = `${this.#set}/resourcedump.xml`;
    this.#seen = rootOf(await textOf(this.#publication, list)).at ?? '';
    this.copy.clear();
    for (const { path } of await packagesOf(this.#publication, list))
      for (const { loc, bytes } of await readPackage(this.#publication, path)) {
        expect(this.copy.has(loc)).toBe(false);
        this.copy.set(loc, bytes?.toString() ?? '');
      }
  }

  /** Each package whose interval reaches beyond what was seen, oldest first. */
  async follow(): Promise<void> {
    const list = `${this.#set}/changedump.xml`;
    if (!(await this.#publication.find(list))) return;
    for (const { path, until } of await packagesOf(this.#publication, list)) {
      if (until < this.#seen) continue;
      for (const { loc, change, bytes } of await readPackage(this.#publication, path)) {
        if (change === 'deleted') this.copy.delete(loc);
        else this.copy.set(loc, bytes?.toString() ?? '');
      }
      this.#seen = until;
    }
  }
}
