import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import { addSeconds, toIso } from '../../../src/core/datetime.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { DumpFollower } from '../../house/publish/dump-follower.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { baseUrl, endFirstPass } from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 300_000 });

const sourceCount = 3;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('edit' as const),
      source: fc.nat(sourceCount - 1),
      identifiers: fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('publish' as const), close: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('dumps' as const), anew: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('tick' as const), seconds: fc.nat(90) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('follow' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('anew' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

describeOnBoth('who follows a set across sources by its dumps alone', (open) => {
  it('has the truth in the end, whatever was edited in its sources between which packages', async () => {
    const history = fc.array(step, { minLength: 4, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const world = await World.begin(open().database);
        try {
          for (const one of steps) await world.do(one);
          await world.do({ what: 'tick', seconds: 61 });
          await world.do({ what: 'publish', close: true });
          await world.do({ what: 'dumps', anew: false });
          await world.do({ what: 'follow' });
          expect(world.follower.copy).toEqual(world.truth);
        } finally {
          await world.end();
        }
      }),
      { numRuns: 8 },
    );
  });
});

let worlds = 0;

class World {
  readonly follower: DumpFollower;
  /** What the sources have said last, by address. */
  readonly truth = new Map<string, string>();
  readonly #sources: readonly LivingSource[];
  readonly #set: ResourceSet;
  #edits = 0;

  static async begin(database: Database): Promise<World> {
    const first = await LivingSource.begin(database);
    const sources = [first];
    while (sources.length < sourceCount) sources.push(await LivingSource.begin(database, first));
    const world = new World(sources);
    for (const index of sources.keys())
      await world.do({ what: 'edit', source: index, identifiers: [0, 1, 2] });
    // The last one joins later.
    for (const { name } of sources.slice(0, -1)) await endFirstPass(database, name);
    await world.do({ what: 'publish', close: true });
    await world.do({ what: 'dumps', anew: true });
    await world.follower.takeBaseline();
    await endFirstPass(database, sources.at(-1)?.name ?? '');
    return world;
  }

  private constructor(sources: readonly LivingSource[]) {
    this.#sources = sources;
    worlds += 1;
    const members = Object.fromEntries(sources.map(({ name }) => [name, {}]));
    const [set] = jointSets({ [`w${worlds}`]: { dumps: true } }, members);
    if (!set) throw new Error('there is no set');
    this.#set = set;
    this.follower = new DumpFollower(this.#first.publication, set.path);
  }

  async do(one: Step): Promise<void> {
    const { clock } = this.#first;
    const limits = { entries: 5, bytes: 1_000_000 };
    const publisher = this.#first.publisher({ changeListMinutes: 1, packageBytes: 65_536 }, limits);
    if (one.what === 'edit') for (const id of one.identifiers) await this.#edit(one.source, id);
    else if (one.what === 'publish') {
      await publisher.publish(this.#set, { resourceList: 'if-missing', close: one.close });
      await publisher.publishSite([this.#set]);
    } else if (one.what === 'dumps')
      await publisher.publishDumps(this.#set, { resourceDump: one.anew ? 'always' : 'never' });
    else if (one.what === 'tick') clock.set(addSeconds(toIso(clock.now()), one.seconds));
    else if (one.what === 'follow') await this.follower.follow();
    else await this.follower.takeBaseline();
  }

  /** A third of what is there goes; what is not comes, or comes back. */
  async #edit(index: number, id: number): Promise<void> {
    const source = this.#sources[index];
    if (!source) return;
    this.#edits += 1;
    const loc = `${baseUrl}/${source.name}/items/r${id}/oai_dc.xml`;
    const deleted = this.truth.has(loc) && this.#edits % 3 === 0;
    const text = `edit ${this.#edits}`;
    await source.deliver(`r${id}`, deleted ? { deleted } : { text });
    if (deleted) this.truth.delete(loc);
    else this.truth.set(loc, `<dc>${text}</dc>`);
  }

  get #first(): LivingSource {
    const [first] = this.#sources;
    if (!first) throw new Error('there is no source');
    return first;
  }

  end(): Promise<void> {
    return this.#first.end();
  }
}
