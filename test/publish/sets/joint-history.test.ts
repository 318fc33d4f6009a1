import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import { addSeconds, toIso } from '../../../src/core/datetime.ts';
import { isBridgeError } from '../../../src/core/errors.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { openPublication, type Publication } from '../../../src/publish/published/publication.ts';
import { createPublisher, type PublishOptions } from '../../../src/publish/publisher.ts';
import { takeUp } from '../../../src/store/joint/take-up.ts';
import { jointOf } from '../../../src/store/reading/joint-changes.ts';
import { textOf } from '../../house/publish/reading.ts';
import {
  baseUrl,
  endFirstPass,
  HandClock,
  type SeedChange,
  seedChanges,
  seedSource,
  silent,
} from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 240_000 });

const sourceCount = 4;
/** The clocks of the processes that write, in seconds beside ours. */
const skews = [0, -400, 1, 7];

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('write' as const),
      source: fc.nat(sourceCount - 1),
      names: names(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('burst' as const), names: names() }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('publish' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('killed' as const), after: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('takeUp' as const) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('tick' as const), seconds: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('poll' as const) }) },
);

function names() {
  return fc.array(fc.nat(5), { minLength: 1, maxLength: 6 });
}

describeOnBoth('who follows only the Change Lists of a set across sources', (open) => {
  let run = 0;

  it('has the truth in the end, whatever happened, in any number of sources and processes', async () => {
    const history = fc.array(step, { minLength: 4, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        run += 1;
        const directory = await mkdtemp(join(tmpdir(), 'rsbridge-history-'));
        try {
          await live(new World(open().database, directory, run), steps);
        } finally {
          await rm(directory, { recursive: true, force: true });
        }
      }),
      { numRuns: 12 },
    );
  });
});

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function live(world: World, steps: readonly Step[]): Promise<void> {
  await world.begin();
  for (const one of steps) {
    if (one.what === 'write') await world.write(one.source, one.names);
    else if (one.what === 'burst') await world.burst(one.names);
    else if (one.what === 'publish') await world.publish();
    else if (one.what === 'killed') await world.publishKilled(one.after);
    else if (one.what === 'takeUp')
      await takeUp(world.database, jointOf(world.set), toIso(world.clock.now()));
    else if (one.what === 'tick') world.clock.set(addSeconds(toIso(world.clock.now()), one.seconds));
    else await world.poll();
  }
  world.clock.set(addSeconds(toIso(world.clock.now()), 1));
  await world.publish();
  await world.poll();
  expect(world.copy).toEqual(await world.truth());
}

class World {
  readonly clock = new HandClock('2026-11-21T12:00:00Z');
  readonly copy = new Map<string, string>();
  readonly database;
  readonly set: ResourceSet;
  readonly #sources: readonly string[];
  readonly #directory: string;
  readonly #publication: Publication;
  readonly #alive = new Set<string>();
  #seen = '';

  constructor(database: Parameters<typeof seedSource>[0], directory: string, run: number) {
    this.database = database;
    this.#directory = directory;
    this.#publication = openPublication(directory);
    this.#sources = Array.from({ length: sourceCount }, (_, index) => `h${run}-${index}`);
    const members = Object.fromEntries(this.#sources.map((name) => [name, {}]));
    const [set] = jointSets({ [`h${run}`]: {} }, members);
    if (!set) throw new Error('there is no set');
    this.set = set;
  }

  async begin(): Promise<void> {
    for (const [index, name] of this.#sources.entries()) {
      await seedSource(this.database, name);
      await this.write(index, [0, 1]);
      // The last one joins later.
      if (index < sourceCount - 1) await endFirstPass(this.database, name);
    }
    await this.publish('always');
    const list = await this.#read('resourcelist.xml');
    for (const { loc, hash } of entriesIn(list)) this.copy.set(loc, hash);
    const last = this.#sources.at(-1) ?? '';
    await endFirstPass(this.database, last);
  }

  async write(source: number, numbers: readonly number[]): Promise<void> {
    const name = this.#sources[source] ?? '';
    const journal = await this.database.writer('source').where({ name }).first('journal_at');
    const own = addSeconds(toIso(this.clock.now()), skews[source] ?? 0);
    const at = own > journal.journal_at ? own : journal.journal_at;
    const changes = numbers.map((number): SeedChange => {
      const key = `${name}/${number}`;
      const change = !this.#alive.has(key) ? 'created' : number % 2 === 0 ? 'updated' : 'deleted';
      if (change === 'deleted') this.#alive.delete(key);
      else this.#alive.add(key);
      return { name: `n${number}`, at, change };
    });
    await seedChanges(this.database, name, changes);
  }

  /** All of them write while two processes publish. */
  async burst(numbers: readonly number[]): Promise<void> {
    await Promise.all([
      ...this.#sources.map((_, index) => this.write(index, numbers)),
      this.publish(),
      this.publish(),
    ]);
  }

  async publish(
    resourceList: PublishOptions['resourceList'] = 'if-missing',
    signal?: AbortSignal,
  ): Promise<void> {
    const publisher = createPublisher({
      database: this.database,
      directory: this.#directory,
      baseUrl,
      clock: this.clock,
      log: silent,
      limits: { entries: 7, bytes: 1_000_000 },
      policy: { changeListMinutes: 1 },
    });
    try {
      await publisher.publish(this.set, { resourceList, signal });
    } catch (error) {
      if (!isBridgeError(error, 'publication-busy') && !isBridgeError(error, 'interrupted')) throw error;
    }
  }

  /** It ends at a page of its own choosing: what was not switched is as if it had not been done. */
  async publishKilled(after: number): Promise<void> {
    const controller = new AbortController();
    const end = (async () => {
      for (let turn = 0; turn < after; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      controller.abort(new Error('killed'));
    })();
    await Promise.all([this.publish('always', controller.signal), end]);
  }

  /** By the index, from the list on that has the last time seen; what has that time is applied once more. */
  async poll(): Promise<void> {
    if (!(await this.#publication.find(`${this.set.path}/changelist-index.xml`))) return;
    const index = await this.#read('changelist-index.xml');
    const lists = [...index.matchAll(/<loc>([^<]*)<\/loc>\s*<rs:md from="[^"]*"(?: until="([^"]*)")?/g)];
    let before = '';
    for (const [, loc = '', until] of lists) {
      if (until !== undefined && until < this.#seen) continue;
      const text = await textOf(this.#publication, loc.slice(baseUrl.length + 1));
      for (const { loc: resource, hash, change, datetime, lastmod } of entriesIn(text)) {
        // RS-CL-04, and a change is never before what it made.
        expect(datetime >= before && datetime >= lastmod).toBe(true);
        before = datetime;
        if (datetime < this.#seen) continue;
        if (change === 'deleted') this.copy.delete(resource);
        else this.copy.set(resource, hash);
      }
    }
    if (before > this.#seen) this.#seen = before;
  }

  async truth(): Promise<ReadonlyMap<string, string>> {
    const rows: { path: string; hash: string }[] = await this.database
      .reader('resource')
      .join('source', 'source.id', 'resource.source_id')
      .whereIn('source.name', [...this.#sources])
      .whereNull('resource.deleted_at')
      .select('resource.path', 'resource.hash');
    return new Map(rows.map(({ path, hash }) => [`${baseUrl}/${path}`, hash]));
  }

  #read(name: string): Promise<string> {
    return textOf(this.#publication, `${this.set.path}/${name}`);
  }
}

interface Entry {
  readonly loc: string;
  readonly hash: string;
  readonly change: string;
  readonly datetime: string;
  readonly lastmod: string;
}

/** Of our own writing: an entry is a line. */
function entriesIn(text: string): readonly Entry[] {
  const read = (line: string, pattern: RegExp) => pattern.exec(line)?.[1] ?? '';
  return text.split('\n').flatMap((line) =>
    line.startsWith('<url>')
      ? [
          {
            loc: read(line, /<loc>([^<]*)</),
            hash: read(line, /<rs:md[^>]* hash="([^"]*)"/),
            change: read(line, /<rs:md[^>]*change="([^"]*)"/),
            datetime: read(line, /<rs:md[^>]*datetime="([^"]*)"/),
            lastmod: read(line, /<lastmod>([^<]*)</),
          },
        ]
      : [],
  );
}
