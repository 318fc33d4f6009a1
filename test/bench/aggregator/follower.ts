/** Who follows one list for all repositories, as the reference client does: once the list, then what has changed since. */
export class Follower {
  readonly #base: string;
  /** Path to hash. */
  readonly holds = new Map<string, string>();
  /** Seconds between the time of a change in the list and when it was met here. */
  readonly lateness: number[] = [];
  /** Path to when its last change was met here, in milliseconds. */
  readonly met = new Map<string, number>();
  #since = '';

  constructor(base: string) {
    this.#base = base;
  }

  async baseline(): Promise<void> {
    const text = await this.#get('all/resourcelist.xml');
    this.#since = /<rs:md\b[^>]*\bat="([^"]+)"/.exec(text)?.[1] ?? '';
    const parts = [...text.matchAll(/<sitemap>\s*<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => url);
    const texts = parts.length === 0 ? [text] : [];
    for (const url of parts) this.#take(await this.#get(url.slice(this.#base.length + 1)));
    for (const one of texts) this.#take(one);
  }

  /** @returns how many changes there were since the last time */
  async follow(): Promise<number> {
    const text = await this.#get('all/changelist.xml');
    return this.#take(text);
  }

  #take(text: string): number {
    let taken = 0;
    let last = this.#since;
    for (const [, entry = ''] of text.matchAll(/<url>(.*?)<\/url>/gs)) {
      const loc = /<loc>([^<]+)<\/loc>/.exec(entry)?.[1] ?? '';
      const md = /<rs:md\b([^>]*)/.exec(entry)?.[1] ?? '';
      const told = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(md)?.[1];
      const [change, datetime = '', hash = ''] = [told('change'), told('datetime'), told('hash')];
      if (change !== undefined && datetime < this.#since) continue;
      const path = decodeURIComponent(loc.slice(this.#base.length + 1));
      const now =
        change === 'deleted' ? undefined : hash.split(' ').find((one) => one.startsWith('sha-256:'));
      if (now !== this.holds.get(path)) this.met.set(path, Date.now());
      if (now === undefined) this.holds.delete(path);
      else this.holds.set(path, now);
      if (change === undefined) continue;
      taken += 1;
      if (datetime > last) last = datetime;
      if (datetime > this.#since) this.lateness.push((Date.now() - Date.parse(datetime)) / 1000);
    }
    this.#since = last;
    return taken;
  }

  async #get(path: string): Promise<string> {
    const response = await fetch(`${this.#base}/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.text();
  }
}
