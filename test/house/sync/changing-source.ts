import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { toIso } from '../../../src/core/datetime.ts';
import type { OfferedCapability, StatedFact } from '../../../src/simulate/settings.ts';
import { Simulator } from '../../../src/simulate/simulator.ts';

export interface PutOptions {
  readonly type?: string;
  /** Links that its entries have besides. */
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
/** Of Change Dumps; without these, there is one Change List that stays open. */
const changesInPackage = 5;

/**
 * A simulated Source whose resources change as a test wants, a second later each time. Its Resource List is as of the
 * last `list()`, its changes reach back to `forget()`.
 */
export class ChangingSource {
  readonly asked: string[] = [];
  readonly interferences = new Map<string, Interference>();
  /** Rewrites documents. */
  rewrite: (path: string, text: string) => string = (_, text) => text;
  readonly #clock: { now: number };
  #simulator: Simulator | undefined;

  private constructor(clock: { now: number }) {
    this.#clock = clock;
  }

  static async open(): Promise<ChangingSource> {
    const clock = { now: begin };
    const source = new ChangingSource(clock);
    source.#simulator = await Simulator.open(
      {
        ...{ port: 0, rate: 0, resources: 0, listEverySeconds: Number.POSITIVE_INFINITY, partSize: 1000 },
        names: {
          ...{ description: '/.well-known/resourcesync', capabilitylist: '/cap.xml' },
          ...{ resourcelist: '/rl.xml', changelist: '/cl.xml', resourcedump: '/rd.xml' },
          changedump: '/cd.xml',
        },
      },
      [],
      {
        clock: () => clock.now,
        asked: (path) => source.asked.push(path),
        interfere: (path, response, headers, body) =>
          source.interferences.get(path)?.(response, headers, body) === true,
        rewrite: (path, text) => source.rewrite(path, text),
      },
    );
    return source;
  }

  get origin(): string {
    return this.#source.origin;
  }

  get now(): string {
    return toIso(new Date(this.#clock.now));
  }

  /** Which lists its Capability List names. */
  set offers(offers: readonly OfferedCapability[]) {
    const closeAfter = offers.includes('changedump') ? changesInPackage : undefined;
    Object.assign(this.#source.settings, { offers, closeAfter });
  }

  /** What entries say of bytes. */
  get facts(): readonly StatedFact[] {
    return this.#source.settings.facts;
  }

  set facts(facts: readonly StatedFact[]) {
    this.#source.settings.facts = facts;
  }

  /** Dumps name the manifests of their packages. */
  set linksManifests(links: boolean) {
    this.#source.settings.linksManifests = links;
  }

  /** Members of a package, at most. */
  set packageSize(members: number) {
    this.#source.settings.packageSize = members;
  }

  set partSize(entries: number) {
    this.#source.settings.partSize = entries;
  }

  pass(seconds: number): void {
    this.#clock.now += seconds * 1000;
  }

  put(path: string, text: string, { type = 'text/plain', more = '' }: PutOptions = {}): void {
    this.pass(1);
    this.#source.put(path, text, type, more);
  }

  remove(path: string): void {
    this.pass(1);
    this.#source.remove(path);
  }

  /** The Resource List, and the dump, are of now. */
  list(): void {
    this.pass(1);
    this.#source.list();
  }

  /** The changes begin now. */
  forget(): void {
    this.pass(1);
    this.#source.forget();
  }

  /** What is there, by the path in a copy without folders before it. */
  contents(): Readonly<Record<string, string>> {
    const all = [...this.#source.repository.all()];
    return Object.fromEntries(all.map(({ path, content }) => [path.slice(1), content.bytes().toString()]));
  }

  /** Paths that were asked for since, documents left out; and forgets them. */
  takeAsked(): string[] {
    return this.asked.splice(0).filter((path) => !/\.(?:xml|zip)$|^\/\.well-known|^\/robots/.test(path));
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  get #source(): Simulator {
    if (this.#simulator === undefined) throw new Error('the Source is not open');
    return this.#simulator;
  }
}
