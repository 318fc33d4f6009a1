import { expect, test } from 'vitest';
import { readSourceFacts } from '../../../src/store/reading/source-facts.ts';
import {
  endRun,
  latestFullPass,
  latestIdentifierRun,
  latestRun,
  startRun,
} from '../../../src/store/runs/runs.ts';
import { countSource, ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = (minute: number) => `2026-11-22T10:${String(minute).padStart(2, '0')}:00Z`;

describeOnBoth('the facts of all sources', (open) => {
  test('are what is read of each alone', async () => {
    const { database } = open();
    const names = ['kyoto', 'nara', 'osaka'];
    for (const name of names) await ensureSource(database, name, at(0));
    const run = async (
      name: string,
      mode: 'full' | 'incremental' | 'identifiers',
      state: 'failed' | 'succeeded',
    ) => {
      const sourceId = (await findSource(database.reader, name))?.id ?? 0;
      const started = await startRun(database.writer, {
        ...{ sourceId, mode, selection: '{}', since: undefined, startedAt: at(1) },
      });
      await endRun(database.writer, started.id, { state, at: at(2) });
      return started.id;
    };
    await run('kyoto', 'full', 'succeeded');
    await run('kyoto', 'full', 'failed');
    await run('nara', 'full', 'succeeded');
    await run('nara', 'identifiers', 'succeeded');
    const last = await run('nara', 'incremental', 'failed');
    await database.writer('run').where({ id: last }).update({ problems: 2 });
    await database.writer('problem').insert([
      { run_id: last, code: 'list-doubtful', message: 'the first', identifier: 'oai:nara:1' },
      { run_id: last, code: 'list-doubtful', message: 'the second', identifier: 'oai:nara:2' },
    ]);
    const nara = await findSource(database.reader, 'nara');
    await database.writer('source').where({ name: 'nara' }).update({ journal_seq: 3, item_count: 2 });
    await database.writer('change').insert(
      [1, 2, 3].map((seq) => ({
        ...{ source_id: nara?.id, seq, resource_id: seq, at: at(seq), kind: 'created', lastmod: at(seq) },
        links: '[]',
      })),
    );
    await database
      .writer('moment')
      .insert([1, 2, 3].map((seq) => ({ source_id: nara?.id, at: at(seq), seq })));

    const facts = await readSourceFacts(database.reader, at(2));
    expect([...facts.keys()].sort()).toEqual(names);
    for (const name of names) {
      const stored = await findSource(database.reader, name);
      const id = stored?.id ?? 0;
      expect(facts.get(name)).toMatchObject({
        stored,
        run: await latestRun(database.reader, id),
        fullPass: await latestFullPass(database.reader, id),
        look: await latestIdentifierRun(database.reader, id),
        counts: await countSource(database.reader, id, at(2)),
      });
    }
    expect(facts.get('nara')?.counts).toEqual({ items: 2, resources: 0, changes: 2 });
    expect(facts.get('nara')?.problem?.message).toBe('the first');
    expect(facts.get('kyoto')?.run?.state).toBe('failed');
  });

  test('cost the same statements for one source and for a hundred', async () => {
    const { database } = open();
    const count = async () => {
      let statements = 0;
      const counted = () => {
        statements += 1;
      };
      database.reader.on('query', counted);
      await readSourceFacts(database.reader, at(0));
      database.reader.removeListener('query', counted);
      return statements;
    };
    const few = await count();
    for (let number = 0; number < 100; number += 1) await ensureSource(database, `many-${number}`, at(0));
    expect(await count()).toBe(few);
    expect(few).toBeLessThan(6);
  });
});
