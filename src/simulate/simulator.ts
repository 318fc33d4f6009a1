import { Publication } from './documents/publication.ts';
import { parseFault } from './faults/catalogue.ts';
import { FaultSet } from './faults/fault-set.ts';
import { writtenContent } from './repository/content.ts';
import { Life } from './repository/life.ts';
import { Repository } from './repository/repository.ts';
import { homePage, samplePage } from './server/home-page.ts';
import { type ServerHooks, SourceServer } from './server/source-server.ts';
import type { SourceState, Steering } from './server/steering.ts';
import { type SimulatorSettings, usualSettings } from './settings.ts';

export interface SimulatorHooks extends ServerHooks {
  /** Milliseconds; the Source's clock. */
  clock?: () => number;
  /** What a document, or `manifest.xml` in a package, is to say instead. */
  rewrite?(path: string, text: string): string;
}

const tickMs = 20;
const sampled = 100;

/** A Source that changes, with whatever is wrong with it: documents, resources, pages, and a control that tells the truth. */
export class Simulator implements Steering {
  /** Whoever embeds it may change what it is like while it runs. */
  readonly settings: { -readonly [name in keyof SimulatorSettings]: SimulatorSettings[name] };
  readonly repository: Repository;
  /** Its settings where no fault needs others. */
  readonly #healthy: SimulatorSettings;
  readonly #hooks: SimulatorHooks;
  readonly #life: Life;
  readonly #faults: FaultSet;
  readonly #server: SourceServer;
  readonly #timers: NodeJS.Timeout[] = [];
  #publication: Publication;
  #origin = '';
  #isPaused = false;

  private constructor(given: Partial<SimulatorSettings>, faults: readonly string[], hooks: SimulatorHooks) {
    const { seed } = { ...usualSettings, ...given };
    this.#healthy = { ...usualSettings, ...given };
    this.settings = { ...this.#healthy, ...needsOf(faults, seed) };
    this.#hooks = hooks;
    this.repository = new Repository(hooks.clock ?? Date.now, { keepsFormer: this.settings.mementos });
    this.#life = new Life(this.repository, this.settings);
    this.#faults = new FaultSet(faults, seed, () => this.#scene());
    this.#publication = this.#publish();
    this.#server = new SourceServer({
      settings: this.settings,
      contents: {
        document: (path) => this.#document(path),
        package: (path) => this.#publication.package(path),
        resource: (path) => this.repository.get(path),
        former: (number) => this.repository.former(number),
        page: (path) => this.#page(path),
      },
      steering: this,
      now: () => this.repository.now,
      content: (answer, request) => this.#faults.content(answer, request),
      answer: (answer, request) => this.#faults.answer(answer, request),
      ...hooks,
    });
  }

  /**
   * Listens, and begins to change.
   * @throws BridgeError `usage` for a fault that there is not, `port-in-use`
   */
  static async open(
    settings: Partial<SimulatorSettings> = {},
    faults: readonly string[] = [],
    hooks: SimulatorHooks = {},
  ): Promise<Simulator> {
    const simulator = new Simulator(settings, faults, hooks);
    await simulator.#listen();
    return simulator;
  }

  /** Without a slash at its end. */
  get origin(): string {
    return this.#origin;
  }

  get counts(): SourceServer['counts'] {
    return this.#server.counts;
  }

  get events(): number {
    return this.#life.events;
  }

  facts() {
    const { settings, repository, counts } = this;
    return {
      ...{ baseUrl: `${this.#origin}/`, now: repository.now, isPaused: this.#isPaused },
      ...{ resources: repository.size, events: this.events, changes: repository.changeCount },
      ...{ faults: this.#faults.names, requests: counts, settings },
      get: ['state', 'sha256sums', 'changes?since=N'],
      post: {
        ...{
          step: { events: 1 },
          put: { path: '/resources/x', text: 'content' },
          remove: { path: '/resources/x' },
        },
        ...{ pause: {}, resume: {}, list: {}, forget: {}, faults: { faults: ['busy:0.5'] } },
      },
    };
  }

  state(): SourceState {
    const resources = [...this.repository.all()].map(({ path, content, lastmod, type }) => ({
      loc: this.#origin + path,
      hash: `sha-256:${content.hash('sha256')}`,
      length: content.length,
      ...{ lastmod, type },
    }));
    return { at: this.repository.now, events: this.events, resources };
  }

  changes(since: number): readonly object[] {
    const { changes, changeCount } = this.repository;
    const first = changeCount - changes.length + 1;
    return changes
      .map(({ path, kind, at, version }, index) => ({
        ...{ number: first + index, loc: this.#origin + path, change: kind, datetime: at },
        hash: version && `sha-256:${version.content.hash('sha256')}`,
      }))
      .filter(({ number }) => number > since);
  }

  step(events = 1): void {
    for (let event = 0; event < events; event += 1) this.#life.step();
    const { maximumChanges } = this.settings;
    if (maximumChanges !== undefined) this.repository.forget(maximumChanges);
  }

  put(path: string, content: string | Buffer, type = 'text/plain', more = ''): void {
    this.repository.put(path, writtenContent(content), type, more);
  }

  remove(path: string): boolean {
    return this.repository.remove(path);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  list(): void {
    this.#publication.list();
  }

  forget(): void {
    this.repository.forget();
  }

  setFaults(names: readonly string[]): void {
    const { seed } = this.settings;
    const needs = needsOf(names, seed);
    const former = Object.keys(needsOf(this.#faults.names, seed)) as (keyof SimulatorSettings)[];
    this.#faults.set(names);
    for (const name of former) Object.assign(this.settings, { [name]: this.#healthy[name] });
    Object.assign(this.settings, needs);
  }

  close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    return this.#server.close();
  }

  async #listen(): Promise<void> {
    const port = await this.#server.listen();
    const { host, baseUrl, listEverySeconds, rate } = this.settings;
    const name = host.includes(':') ? `[${host}]` : host;
    this.#origin = (baseUrl ?? `http://${name}:${port}`).replace(/\/$/, '');
    // Documents have the address that is known only now.
    this.#publication = this.#publish();
    if (rate > 0) this.#live(rate);
    if (listEverySeconds > 0 && Number.isFinite(listEverySeconds))
      this.#timers.push(setInterval(() => this.list(), listEverySeconds * 1000));
  }

  /** Changes come at their rate, whatever the timer makes of it. */
  #live(rate: number): void {
    let last = performance.now();
    let owed = 0;
    const tick = () => {
      const now = performance.now();
      const { maximumEvents = Number.POSITIVE_INFINITY } = this.settings;
      if (!this.#isPaused && this.events < maximumEvents) owed += ((now - last) / 1000) * rate;
      last = now;
      for (; owed >= 1 && this.events < maximumEvents; owed -= 1) {
        this.step();
      }
    };
    this.#timers.push(setInterval(tick, Math.max(tickMs, Math.min(1000, 250 / rate))));
  }

  #publish(): Publication {
    const rewrite = (path: string, bytes: Buffer) => this.#rewritten(path, bytes);
    return new Publication(this.settings, this.repository, this.#origin, (draft) =>
      this.#faults.packed(draft, rewrite),
    );
  }

  #document(path: string): Buffer | undefined {
    const draft = this.#faults.document(path) ?? this.#publication.document(path);
    return draft && this.#rewritten(path, this.#faults.written(draft));
  }

  #rewritten(path: string, bytes: Buffer): Buffer {
    const { rewrite } = this.#hooks;
    return rewrite ? Buffer.from(rewrite(path, bytes.toString('utf8'))) : bytes;
  }

  #page(path: string): string | undefined {
    const { settings, repository } = this;
    if (path === '/') {
      const facts = { resources: repository.size, events: this.events, faults: this.#faults.names };
      return homePage(settings, this.#origin, facts);
    }
    if (path !== '/resources') return undefined;
    const some: string[] = [];
    for (const version of repository.all()) if (some.length < sampled) some.push(version.path);
    return samplePage(settings.title, some);
  }

  #scene() {
    const { repository, settings } = this;
    return {
      ...{ origin: this.#origin, names: settings.names, repository, now: repository.now },
      right: (path: string) => this.#publication.document(path),
    };
  }
}

/** @throws BridgeError `usage` */
function needsOf(faults: readonly string[], seed: number): Partial<SimulatorSettings> {
  return Object.assign({}, ...faults.map((name) => parseFault(name, seed).fault.needs));
}
