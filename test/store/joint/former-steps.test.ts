import { expect, it } from 'vitest';
import { type JointChoice, jointSets } from '../../../src/core/config/joint-sets.ts';
import { forgetFormerSteps } from '../../../src/store/joint/former-steps.ts';
import { jointPlaces, readJointJournal } from '../../../src/store/joint/joint-journal.ts';
import { takeUp } from '../../../src/store/joint/take-up.ts';
import { jointOf, listJointChanges } from '../../../src/store/reading/joint-changes.ts';
import { endFirstPass, seedChanges, seedSource } from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const rounds = 60;
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString().replace('.000', '');

describeOnBoth('what a set across sources was before it began anew', (open) => {
  let count = 0;

  async function seed() {
    count += 1;
    const { database } = open();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => `${name}${count}`) as [string, string, string];
    const setOf = (names: readonly string[], choice: JointChoice = {}) => {
      const [set] = jointSets({ [`s${count}`]: choice }, Object.fromEntries(names.map((name) => [name, {}])));
      if (!set) throw new Error('there is no set');
      return set;
    };
    for (const name of [a, b, c]) {
      await seedSource(database, name);
      await seedChanges(database, name, [{ name: 'first', at: at(0) }]);
      await endFirstPass(database, name);
    }
    const all = setOf([a, b, c]);
    await takeUp(database, jointOf(all), at(1));
    for (let round = 0; round < rounds; round += 1) {
      for (const name of [a, c])
        await seedChanges(database, name, [{ name: `n${round}`, at: at(2 + round) }]);
      await takeUp(database, jointOf(all), at(2 + round));
    }
    const journal = async () => {
      const row = await readJointJournal(database.reader, all.source);
      if (!row) throw new Error('there is no journal');
      return row;
    };
    const idOf = async (name: string): Promise<number> =>
      (await database.reader('source').where({ name }).first('id')).id;
    const places = async (seq: number) => {
      const found = await jointPlaces(database.reader, (await journal()).id, seq);
      return Promise.all([a, b, c].map(async (name) => found.get(await idOf(name))));
    };
    const rows = async (table: string, column: string, id: number) =>
      (
        await database
          .reader(table)
          .where({ [column]: id })
          .select('*')
      ).length;
    const steps = async () => rows('joint_step', 'joint_id', (await journal()).id);
    const moments = async () => rows('joint_moment', 'source_id', -(await journal()).id);
    return { database, names: [a, b, c] as const, all, setOf, journal, places, steps, moments };
  }

  it('stays as long as the set goes on: its lists can be told anew, and those of earlier times', async () => {
    const { database, all, steps, moments } = await seed();
    expect(await forgetFormerSteps(database, all.source, at(90))).toBe(false);
    expect(await steps()).toBe(3 + 2 * rounds);
    expect(await moments()).toBe(1 + rounds);
  });

  it('goes some moments at a time, but how far each source had come', async () => {
    const { database, names, setOf, journal, places, steps, moments } = await seed();
    const [a, b] = names;
    const less = setOf([a, b]);
    await takeUp(database, jointOf(less), at(80));
    const { first_pass_seq: begin, journal_seq } = await journal();
    expect(begin).toBe(journal_seq);
    const before = await places(journal_seq);
    expect(before).toEqual([1 + rounds, 1, undefined]);
    await seedChanges(database, a, [{ name: 'after', at: at(81) }]);
    await takeUp(database, jointOf(less), at(81));

    expect(await forgetFormerSteps(database, less.source, at(82))).toBe(true);
    expect(await places(journal_seq)).toEqual(before);
    expect(await forgetFormerSteps(database, less.source, at(82))).toBe(true);
    expect(await forgetFormerSteps(database, less.source, at(82))).toBe(false);
    // The last of each source before the beginning, those of the second before it, and what came since.
    expect(await steps()).toBe(4);
    // The second before the last change, its own, the beginning, and what came since.
    expect(await moments()).toBe(4);
    expect(await places(journal_seq)).toEqual(before);
    const told: string[] = [];
    for await (const page of listJointChanges(database.reader, less, { afterSeq: begin ?? 0 }))
      told.push(...page.map(({ path }) => path));
    expect(told).toEqual([`${a}/items/after/oai_dc.xml`]);
  });

  it('says nothing of a source that left and comes back', async () => {
    const { database, names, all, setOf, journal, places } = await seed();
    const [a, b, c] = names;
    await takeUp(database, jointOf(setOf([a, b])), at(80));
    const { journal_seq: without } = await journal();
    await seedChanges(database, c, [{ name: 'late', at: at(81) }]);
    await takeUp(database, jointOf(all), at(81));
    expect(await places(without)).toEqual([1 + rounds, 1, undefined]);
    expect(await places((await journal()).journal_seq)).toEqual([1 + rounds, 1, 2 + rounds]);
  });
});
