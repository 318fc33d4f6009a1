import { entriesIn } from '../../house/publish/list-entries.ts';

/**
 * Who follows one list for all repositories, as the reference client does: the Resource List once, then the Change Lists that
 * may have something later than what was read last.
 */
export class Follower {
  readonly #bases: readonly string[];
  /** Path to hash. */
  readonly holds = new Map<string, string>();
  /** Path to when its last change was met here, in milliseconds. */
  readonly met = new Map<string, number>();
  /** What could not be read, by status, or what was wrong. */
  readonly failures = new Map<string, number>();
  /** How often the Resource List had to be taken again, since the Change Lists began later. */
  anew = -1;
  #since = '';
  #turn = 0;
  readonly #etags = new Map<string, string>();

  /** @param bases of the processes that answer; what addresses begin with is the first of them */
  constructor(bases: readonly string[]) {
    this.#bases = bases;
  }

  /** @returns whether there was a list */
  async follow(): Promise<boolean> {
    try {
      if (this.#since === '' || !(await this.#changes())) await this.#baseline();
      return true;
    } catch (error) {
      const { cause, message } = error as Error;
      const what = ((cause as { code?: string } | undefined)?.code ?? message).replace(/^.*: /, '');
      this.failures.set(what, (this.failures.get(what) ?? 0) + 1);
      this.#turn += 1;
      return false;
    }
  }

  async #baseline(): Promise<void> {
    const text = await this.#get('all/resourcelist.xml');
    const at = attribute(/<rs:md\b[^>]*>/.exec(text)?.[0], 'at');
    const parts = [...text.matchAll(/<sitemap>\s*<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => url);
    const before = new Set(this.holds.keys());
    for (const one of parts.length === 0 ? [text] : [])
      for (const entry of entriesIn(one)) before.delete(this.#take(entry));
    for (const url of parts)
      for (const entry of entriesIn(await this.#get(this.#pathOf(url)))) before.delete(this.#take(entry));
    for (const path of before) this.holds.delete(path);
    this.#since = at;
    this.#etags.clear();
    this.anew += 1;
  }

  /** @returns false: there may have been more between what was read last and the first list */
  async #changes(): Promise<boolean> {
    const index = await this.#get('all/changelist-index.xml');
    if (attribute(/<rs:md\b[^>]*>/.exec(index)?.[0], 'from') > this.#since) return false;
    let last = this.#since;
    for (const [, url = '', md = ''] of index.matchAll(
      /<sitemap>\s*<loc>([^<]+)<\/loc>\s*<rs:md ([^>]*)>/g,
    )) {
      const until = attribute(md, 'until');
      if (until !== '' && until < this.#since) continue;
      const path = this.#pathOf(url);
      const text = await this.#get(path, this.#etags.get(path));
      for (const entry of text === undefined ? [] : entriesIn(text)) {
        const { datetime = '' } = entry;
        if (datetime < this.#since) continue;
        this.#take(entry);
        if (datetime > last) last = datetime;
      }
    }
    this.#since = last;
    return true;
  }

  /** @returns its path */
  #take({ loc, change, hash = '' }: { loc: string; change?: string; hash?: string }): string {
    const path = this.#pathOf(loc);
    const now = change === 'deleted' ? undefined : hash.split(' ').find((one) => one.startsWith('sha-256:'));
    if (now !== this.holds.get(path)) this.met.set(path, Date.now());
    if (now === undefined) this.holds.delete(path);
    else this.holds.set(path, now);
    return path;
  }

  #pathOf(url: string): string {
    return decodeURIComponent(url.slice((this.#bases[0]?.length ?? 0) + 1));
  }

  async #get(path: string): Promise<string>;
  async #get(path: string, etag: string | undefined): Promise<string | undefined>;
  async #get(path: string, etag?: string): Promise<string | undefined> {
    const response = await fetch(`${this.#bases[this.#turn % this.#bases.length]}/${path}`, {
      ...(etag !== undefined && { headers: { 'if-none-match': etag } }),
      signal: AbortSignal.timeout(60_000),
    });
    if (response.status === 304) return undefined;
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    this.#etags.set(path, response.headers.get('etag') ?? '');
    return text;
  }
}

function attribute(text: string | undefined, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(text ?? '')?.[1] ?? '';
}
