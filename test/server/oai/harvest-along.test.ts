import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../house/runs.ts';
import { headersIn, OaiHouse, type ToldRecord } from '../../house/server/oai-house.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

/**
 * A harvester that follows as the protocol has it: all pages of a list, and the next one `from` the `responseDate` of the
 * first page of the list before. It knows nothing but what it was told.
 */
class Follower {
  readonly held = new Map<string, string>();
  #from: string | undefined;

  async harvest(house: OaiHouse, between: () => Promise<void>): Promise<void> {
    const query = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };
    const pages = await house.walk(
      this.#from === undefined ? query : { ...query, from: this.#from },
      between,
    );
    this.#from = /<responseDate>([^<]+)</.exec(pages[0] ?? '')?.[1];
    for (const page of pages) {
      for (const record of page.split('<record>').slice(1)) {
        const [header = ''] = headersIn(record);
        const [identifier = '', , deleted] = header.split(' ');
        if (deleted) this.held.delete(identifier);
        else this.held.set(identifier, /<dc:title>([^<]*)</.exec(record)?.[1] ?? '');
      }
    }
  }
}

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
          const truth = new Map<string, string>();
          let version = 0;
          const write = async ({ kind, from, count }: Pick<Edit, 'kind' | 'from' | 'count'>) => {
            version += 1;
            const told: Record<string, ToldRecord> = {};
            for (let number = from; number < from + count; number += 1) {
              const identifier = `oai:a:${number}`;
              if (kind === 'edit') truth.set(identifier, `v${version}`);
              else truth.delete(identifier);
              told[identifier] = { title: `v${version}`, deleted: kind === 'delete' };
            }
            await house.tell(told);
          };
          if (first > 0) await write({ kind: 'edit', from: 0, count: first });
          const left = [...moments];
          const live = async () => {
            const next = left.shift();
            if (!next) return;
            for (const one of next.edits) {
              await write(one);
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
          expect([...follower.held].sort()).toEqual([...truth].sort());
        } finally {
          await house.close();
        }
      }),
      { numRuns: runs(8, 20) },
    );
  });
});
