import { expect } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { mementoUri } from '../../../src/core/uris.ts';
import type { Entry } from '../publish/list-entries.ts';
import { baseUrl } from '../publish/seed.ts';
import type { TimeHouse } from './house.ts';
import { type SeenMemento, Visitor } from './visitor.ts';

const farFuture = '2090-01-01T00:00:00Z';

/** Digests by path. */
type Holdings = Readonly<Record<string, string>>;

/** What is promised of a house's past, seen from outside and held against the truth. */
export class TimePromise {
  readonly #house: TimeHouse;
  readonly #visitor: Visitor;
  /** What was said to be immutable, as it was met first. */
  readonly #immutable = new Map<string, string>();
  readonly #timeMaps = new Map<string, ReadonlyMap<string, string> | undefined>();
  readonly #timeGates = new Map<string, string | undefined>();
  readonly #lists = new Map<string, readonly Entry[] | undefined>();
  readonly #mementos = new Map<string, SeenMemento>();

  constructor(house: TimeHouse) {
    this.#house = house;
    this.#visitor = new Visitor(house);
  }

  /** Between two steps: what is there now, and that what does not change has not changed. */
  async look(): Promise<void> {
    const { truth } = this.#house;
    this.#forget();
    for (const path of truth.paths) {
      const location = await this.#visitor.timeGate(toUri(path));
      if (this.#isWithheld(path)) expect(location).toBeUndefined();
      else await this.#memento(location ?? '');
      const current = truth.current.get(path);
      if (current) expect((await this.#memento(location ?? '')).hash).toBe(current.hash);
    }
    for (const set of this.#house.sets) {
      const location = await this.#visitor.timeGate(listOf(set));
      if (location !== undefined) await this.#memento(location);
    }
    await this.expectImmutability();
  }

  async expectImmutability(): Promise<void> {
    for (const [uri, hash] of this.#immutable) {
      const memento = await this.#visitor.memento(uri);
      // Retention takes some away, and deletions.
      if (memento.status === 200) expect({ uri, hash: memento.hash }).toEqual({ uri, hash });
      else expect([404, 410]).toContain(memento.status);
    }
  }

  /** A published Resource List is what there is. */
  async expectCurrent(sets: readonly ResourceSet[]): Promise<void> {
    for (const set of sets) {
      const entries = await this.#visitor.list(listOf(set));
      expect(holdingsOf(entries ?? [])).toEqual(this.#trueHoldings(set, farFuture));
    }
  }

  /** Of a house in which all seconds are over, and whose Change Lists have followed the journal. */
  async expectAll(published: readonly ResourceSet[], exported: number): Promise<number> {
    this.#forget();
    const { truth } = this.#house;
    for (const path of truth.paths) await this.#expectTimeMap(path);
    const moments = this.#criticalMoments();
    for (const path of truth.paths) for (const t of moments) await this.#expectTimeGate(path, t);
    const states = await this.#statesOfSeconds();
    for (const set of this.#house.sets) {
      if (published.includes(set)) await this.#expectSet(set, moments, states);
      // What was gone again before anybody published it was never published.
      else expect(this.#trueHoldings(set, farFuture)).toEqual({});
    }
    await this.#expectExport(
      moments.filter((t) => t < this.#house.now),
      exported,
    );
    await this.expectImmutability();
    return moments.length;
  }

  #forget(): void {
    this.#timeMaps.clear();
    this.#timeGates.clear();
    this.#lists.clear();
    this.#mementos.clear();
  }

  /** Before, at and after each second in which something happened; before and after everything. */
  #criticalMoments(): readonly string[] {
    const { moments, paths } = this.#house.truth;
    const datetimes = paths.flatMap((path) =>
      this.#house.truth.mementos(path).map(({ datetime }) => datetime),
    );
    const around = [...moments, ...datetimes].flatMap((at) => [addSeconds(at, -1), at, addSeconds(at, 1)]);
    const ends = ['1990-01-01T00:00:00Z', farFuture];
    return [...new Set([...around, ...ends])].sort();
  }

  #isWithheld(path: string): boolean {
    if (this.#house.truth.current.has(path)) return false;
    return path.includes('/files/') || !this.#house.mementos.ofDeleted;
  }

  /** TM-01…07: each state that there was is in it, as far as it is kept. */
  async #expectTimeMap(path: string): Promise<void> {
    const uri = toUri(path);
    const timeMap = await this.#visitor.timeMap(uri);
    this.#timeMaps.set(path, timeMap);
    const truth = this.#house.truth.mementos(path);
    if (this.#isWithheld(path)) {
      expect(timeMap).toBeUndefined();
      for (const { datetime } of truth) {
        expect((await this.#visitor.memento(mementoUri(baseUrl, uri, datetime))).status).toBe(410);
      }
      return;
    }
    const all = truth.map(({ datetime }) => datetime);
    const kept = [...(timeMap?.values() ?? [])];
    expect([path, ...kept]).toEqual([path, ...this.#expectedToStay(all, kept)]);
    for (const { datetime, hash, length } of truth) {
      const address = mementoUri(baseUrl, uri, datetime);
      const memento = await this.#memento(address);
      if (!kept.includes(datetime)) {
        expect(memento.status).toBe(404);
        continue;
      }
      expect(timeMap?.get(address)).toBe(datetime);
      expect({ address, ...memento }).toMatchObject({ address, status: 200, datetime, hash, length });
    }
  }

  #expectedToStay(all: readonly string[], kept: readonly string[]): readonly string[] {
    const { keep } = this.#house.mementos;
    if (keep === 'all') return all;
    if ('last' in keep) {
      return all.filter((_, index) => index === 0 || index >= all.length - Math.max(keep.last, 1));
    }
    // What was current within so many days stays; of what was not, the first and the last.
    const begin = addSeconds(this.#house.latest, -keep.days * 86_400);
    return all.filter((datetime, index) => {
      const end = all[index + 1];
      return index === 0 || end === undefined || end >= begin || kept.includes(datetime);
    });
  }

  /** ME-04…06: the latest that is not later; before the first the first; of what was deleted then, nothing. */
  async #expectTimeGate(path: string, t: string): Promise<void> {
    const { truth } = this.#house;
    const uri = toUri(path);
    const location = await this.#timeGate(uri, t);
    const kept = [...(this.#timeMaps.get(path)?.values() ?? [])];
    const isGone = t >= truth.began(path) && !truth.at(t).has(path);
    const found = kept.filter((datetime) => datetime <= t).at(-1) ?? kept[0];
    const expected = isGone || found === undefined ? undefined : mementoUri(baseUrl, uri, found);
    expect({ path, t, location }).toEqual({ path, t, location: expected });
    const state = truth.at(t).get(path);
    const due = truth
      .mementos(path)
      .filter(({ datetime }) => datetime <= t)
      .at(-1);
    if (state) expect({ path, t, hash: due?.hash }).toEqual({ path, t, hash: state.hash });
    if (!state || location === undefined || due?.datetime !== found) return;
    expect((await this.#memento(location)).hash).toBe(state.hash);
  }

  async #expectSet(
    set: ResourceSet,
    moments: readonly string[],
    states: ReadonlyMap<string, string>,
  ): Promise<void> {
    const uri = listOf(set);
    const changes = await this.#changes(set);
    for (const entry of changes) await this.#expectChange(entry, states);
    const timeMap = [...((await this.#visitor.timeMap(uri)) ?? [])];
    const first = timeMap[0]?.[1] ?? '';
    for (const t of moments) {
      const truth = this.#trueHoldings(set, t);
      // RS-CL-05 and following: whoever begins with nothing has everything by replaying.
      expect({ set: set.path, t, ...replay(changes, t) }).toEqual({ set: set.path, t, ...truth });
      const location = await this.#visitor.timeGate(uri, t);
      const due = timeMap.filter(([, datetime]) => datetime <= t).at(-1) ?? timeMap[0];
      expect({ t, location }).toEqual({ t, location: due?.[0] });
      if (location === undefined) continue;
      const entries = (await this.#list(location)) ?? [];
      const holdings = t < first ? this.#trueHoldings(set, first) : truth;
      expect({ set: set.path, t, ...holdingsOf(entries) }).toEqual({ set: set.path, t, ...holdings });
      expect(entries).toHaveLength(Object.keys(holdings).length);
      for (const entry of entries) await this.#expectEntry(entry, t < first ? first : t);
    }
  }

  async #list(location: string): Promise<readonly Entry[] | undefined> {
    if (!this.#lists.has(location)) {
      await this.#memento(location);
      this.#lists.set(location, await this.#visitor.list(location));
    }
    return this.#lists.get(location);
  }

  /** RS-LN-18…24: where an entry of a Resource List leads to. */
  async #expectEntry({ loc, lastmod = '', hash, length, links }: Entry, t: string): Promise<void> {
    const path = pathOf(loc);
    const link = links.find(({ rel }) => rel === 'memento');
    const href = mementoUri(baseUrl, loc, lastmod);
    expect(link).toMatchObject({ href, modified: lastmod, hash, length });
    if (![...(this.#timeMaps.get(path)?.values() ?? [])].includes(lastmod)) return;
    expect({ t, location: await this.#timeGate(loc, t) }).toEqual({ t, location: href });
    expect(await this.#memento(href)).toMatchObject({
      status: 200,
      datetime: lastmod,
      hash,
      length: Number(length),
    });
  }

  async #changes({ path }: ResourceSet): Promise<readonly Entry[]> {
    return (await this.#visitor.list(toUri(`${path}/changelist-index.xml`))) ?? [];
  }

  /** Of several states of a resource in one second the last is what there was: its digest by its memento. */
  async #statesOfSeconds(): Promise<ReadonlyMap<string, string>> {
    const [all] = this.#house.sets;
    const changes = all ? await this.#changes(all) : [];
    const states = changes.filter(({ change }) => change !== 'deleted');
    return new Map(
      states.map(({ loc, lastmod = '', hash = '' }) => [mementoUri(baseUrl, loc, lastmod), hash]),
    );
  }

  /** RS-LN-19…21: a change leads to the state that it made, unless another followed within its second. */
  async #expectChange(entry: Entry, states: ReadonlyMap<string, string>): Promise<void> {
    const { loc, lastmod = '', hash, length, change, links } = entry;
    const href = links.find(({ rel }) => rel === 'memento')?.href;
    expect(href).toBe(change === 'deleted' ? undefined : mementoUri(baseUrl, loc, lastmod));
    if (href === undefined || states.get(href) !== hash) return;
    if (![...(this.#timeMaps.get(pathOf(loc))?.values() ?? [])].includes(lastmod)) return;
    expect({ href, ...(await this.#memento(href)) }).toMatchObject({ href, hash, length: Number(length) });
  }

  /** What lies in an export as of a moment is what the Resource List as of it says, as far as it is kept and handed out. */
  async #expectExport(moments: readonly string[], exported: number): Promise<void> {
    const [set] = this.#house.sets;
    const timeMap = set && (await this.#visitor.timeMap(listOf(set)));
    const [first] = timeMap?.values() ?? [];
    const due = moments.filter((t) => first !== undefined && t >= first);
    const t = due[exported % due.length];
    if (!set || t === undefined) return;
    const { files, report } = await this.#house.export(t);
    const listed = Object.entries(this.#trueHoldings(set, t));
    const truth = Object.fromEntries(listed.filter(([path]) => !this.#isWithheld(path)));
    const found = Object.fromEntries([...files].sort());
    if (this.#house.mementos.keep === 'all') expect({ t, ...found }).toEqual({ t, ...truth });
    else expect({ t, ...truth }).toMatchObject({ t, ...found });
    const handedOut = Object.keys(truth).length;
    expect(report).toMatchObject({
      resources: files.size,
      missing: handedOut - files.size,
      withheld: listed.length - handedOut,
    });
  }

  async #timeGate(uri: string, t: string): Promise<string | undefined> {
    const key = `${t} ${uri}`;
    if (!this.#timeGates.has(key)) this.#timeGates.set(key, await this.#visitor.timeGate(uri, t));
    return this.#timeGates.get(key);
  }

  async #memento(uri: string): Promise<SeenMemento> {
    const known = this.#mementos.get(uri);
    if (known) return known;
    const memento = await this.#visitor.memento(uri);
    this.#mementos.set(uri, memento);
    if (memento.isImmutable && !this.#immutable.has(uri)) this.#immutable.set(uri, memento.hash);
    return memento;
  }

  #trueHoldings(set: ResourceSet, t: string): Holdings {
    const all = [...this.#house.truth.at(t)].filter(([path, state]) => this.#house.covers(set, path, state));
    return Object.fromEntries(all.map(([path, { hash }]) => [path, hash] as const).sort());
  }
}

function replay(changes: readonly Entry[], t: string): Holdings {
  const copy = new Map<string, string>();
  for (const { loc, change, datetime = '', hash = '' } of changes) {
    if (datetime > t) continue;
    if (change === 'deleted') copy.delete(pathOf(loc));
    else copy.set(pathOf(loc), hash);
  }
  return Object.fromEntries([...copy].sort());
}

function holdingsOf(entries: readonly Entry[]): Holdings {
  return Object.fromEntries(entries.map(({ loc, hash = '' }) => [pathOf(loc), hash]));
}

function listOf({ path }: ResourceSet): string {
  return toUri(`${path}/resourcelist.xml`);
}

function toUri(path: string): string {
  return `${baseUrl}/${path}`;
}

function pathOf(uri: string): string {
  return uri.slice(baseUrl.length + 1);
}
