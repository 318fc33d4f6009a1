import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../house/runs.ts';
import { Follower } from '../../house/server/oai-follower.ts';
import { OaiHouse, type ToldRecord } from '../../house/server/oai-house.ts';
import { OaiJointHouse } from '../../house/server/oai-joint-house.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

type Edit = {
  readonly kind: 'edit' | 'delete';
  readonly from: number;
  readonly count: number;
  readonly seconds: number;
};

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('edit', 'edit', 'delete'),
  from: fc.nat(260),
  count: fc.integer({ min: 1, max: 40 }),
  seconds: fc.constantFrom(0, 0, 1, 3),
});
/** What happens between two requests. */
const moment = fc.record({
  edits: fc.array(edit, { maxLength: 2 }),
  steps: fc.constantFrom(0, 0, 1, 100),
  seconds: fc.constantFrom(0, 0, 1, 2),
});

/** A house of whichever kind, and what is to be in it. */
interface Story {
  readonly tell: (identifiers: Readonly<Record<string, ToldRecord>>) => Promise<void>;
  readonly truth: Map<string, string>;
  version: number;
}

async function write(
  story: Story,
  name: string,
  { kind, from, count }: Pick<Edit, 'kind' | 'from' | 'count'>,
) {
  story.version += 1;
  const told: Record<string, ToldRecord> = {};
  for (let number = from; number < from + count; number += 1) {
    const identifier = `oai:${name}:${number}`;
    if (kind === 'edit') story.truth.set(identifier, `v${story.version}`);
    else story.truth.delete(identifier);
    told[identifier] = { title: `v${story.version}`, deleted: kind === 'delete' };
  }
  await story.tell(told);
}

describeOnBoth('A harvester that follows from one responseDate to the next', (open) => {
  test('loses nothing while records are edited, deleted and made again, and their order follows when it can', async () => {
    const story = fc.tuple(
      fc.integer({ min: 0, max: 230 }),
      fc.array(moment, { minLength: 4, maxLength: 16 }),
    );
    await fc.assert(
      fc.asyncProperty(story, async ([first, moments]) => {
        const house = await OaiHouse.open(open().database);
        try {
          const story: Story = { tell: (told) => house.tell(told), truth: new Map(), version: 0 };
          if (first > 0) await write(story, 'a', { kind: 'edit', from: 0, count: first });
          const left = [...moments];
          const live = async () => {
            const next = left.shift();
            if (!next) return;
            for (const one of next.edits) {
              await write(story, 'a', one);
              house.pass(one.seconds);
            }
            await house.order(next.steps);
            house.pass(next.seconds);
          };
          const follower = new Follower();
          while (left.length > 0) {
            await live();
            await follower.harvest(house, live);
          }
          // Nothing happens any more: one more harvest, and it knows all.
          await follower.harvest(house, async () => {});
          expect([...follower.held].sort()).toEqual([...story.truth].sort());
        } finally {
          await house.close();
        }
      }),
      { numRuns: runs(8, 20) },
    );
  });

  test('loses nothing of several sources as one repository, nor of one of them as a set', async () => {
    const place = fc.tuple(fc.nat(2), edit);
    const story = fc.tuple(
      fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 3, maxLength: 3 }),
      fc.array(
        fc.record({
          edits: fc.array(place, { maxLength: 3 }),
          steps: fc.constantFrom(0, 0, 1, 2, 100),
          seconds: fc.constantFrom(0, 0, 1, 2),
        }),
        { minLength: 4, maxLength: 14 },
      ),
    );
    await fc.assert(
      fc.asyncProperty(story, async ([firsts, moments]) => {
        const house = await OaiJointHouse.open(open().database, firsts.length);
        try {
          const stories = house.houses.map(
            (own): Story => ({ tell: (told) => own.tell(told), truth: new Map(), version: 0 }),
          );
          const edited = async (index: number, one: Pick<Edit, 'kind' | 'from' | 'count'>) => {
            const own = stories[index];
            if (own) await write(own, `h${index}`, one);
          };
          for (const [index, count] of firsts.entries())
            if (count > 0) await edited(index, { kind: 'edit', from: 0, count });
          const left = [...moments];
          const live = async () => {
            const next = left.shift();
            if (!next) return;
            for (const [index, one] of next.edits) {
              await edited(index, one);
              house.pass(one.seconds);
            }
            await house.order(next.steps);
            house.pass(next.seconds);
          };
          const all = new Follower();
          const one = new Follower({ set: house.of(1).source });
          while (left.length > 0) {
            await live();
            await all.harvest(house, live);
            await one.harvest(house, live);
          }
          // Nothing happens any more: one more harvest, and they know all.
          await house.order();
          await all.harvest(house, async () => {});
          await one.harvest(house, async () => {});
          expect([...all.held].sort()).toEqual(stories.flatMap(({ truth }) => [...truth]).sort());
          expect([...one.held].sort()).toEqual([...(stories[1]?.truth ?? [])].sort());
        } finally {
          await house.close();
        }
      }),
      { numRuns: runs(6, 20) },
    );
  });
});
