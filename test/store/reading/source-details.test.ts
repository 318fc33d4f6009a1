import { expect, test } from 'vitest';
import { countFilesOf } from '../../../src/store/files/file-counts.ts';
import { readSourceDetails } from '../../../src/store/reading/source-details.ts';
import { listRuns, startRun } from '../../../src/store/runs/runs.ts';
import { countVanished } from '../../../src/store/runs/vanished.ts';
import { ensureSource, findSource, saveLessons } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { listProblems } from '../../house/store/told-problems.ts';

const at = '2026-11-22T10:00:00Z';
const limits = { runs: 3, problems: 2 };

describeOnBoth('the details of several sources', (open) => {
  test('are what is read of each alone', async () => {
    const { database } = open();
    const { reader, writer } = database;
    const names = ['kyoto', 'nara', 'osaka'];
    const ids = new Map<string, number>();
    for (const name of names) {
      await ensureSource(database, name, at);
      ids.set(name, (await findSource(reader, name))?.id ?? 0);
    }
    const [kyoto, nara] = [ids.get('kyoto') ?? 0, ids.get('nara') ?? 0];
    const start = (sourceId: number) =>
      startRun(writer, { sourceId, mode: 'full', selection: '{}', since: undefined, startedAt: at });
    await start(kyoto);
    for (let turn = 0; turn < 4; turn += 1) await start(nara);
    const last = await start(nara);
    await writer('run').where({ id: last.id }).update({ problems: 3 });
    await writer('problem').insert(
      ['one', 'two', 'three'].map((message) => ({ run_id: last.id, code: 'list-doubtful', message })),
    );
    const lesson = { key: 'k', value: 'v', sentence: 'It forgets.', learnedAt: at };
    await saveLessons(database.writer, nara, [lesson]);
    await writer('source').where({ id: nara }).update({ retention: '{"givenUp":7}', fuse_at: at });
    await writer('unreadable').insert({
      ...{ source_id: nara, place: 'p', format: 'oai_dc', code: 'record-invalid', message: 'broken' },
      ...{ run_id: last.id, first_at: at, last_at: at },
    });
    await writer('item').insert({ id: 1, source_id: nara, identifier: 'oai:nara:1', datestamp: at });
    const file = { source_id: nara, failures: 0, checked_at: at };
    await writer('remote_file').insert([
      { ...file, url: 'https://nara.example.org/1.pdf', outcome: 'confirmed' },
      { ...file, url: 'https://nara.example.org/2.pdf', outcome: 'refused', withheld_at: at },
    ]);

    const details = await readSourceDetails(reader, [...names, 'never-read'], limits);
    expect([...details.keys()].sort()).toEqual(names);
    for (const [name, id] of ids) {
      const runs = await listRuns(reader, id, limits.runs);
      expect(details.get(name)).toMatchObject({
        runs,
        problems: runs[0] ? await listProblems(reader, runs[0].id, limits.problems) : [],
        files: (await countFilesOf(reader, [id]))(id),
        vanished: await countVanished(reader, id),
      });
    }
    expect(details.get('kyoto')?.runs).toHaveLength(1);
    expect(details.get('nara')?.runs).toHaveLength(3);
    expect(details.get('nara')).toMatchObject({
      problems: [{ message: 'one' }, { message: 'two' }],
      lessons: [lesson],
      withheldFiles: { refused: 1, gone: 0, atPrivateAddresses: 0, fuseAt: at },
      unreadable: 1,
      versionsGivenUp: 7,
    });
  });

  test('cost the same statements for one source and for a hundred', async () => {
    const { database } = open();
    const count = async (names: readonly string[]) => {
      let statements = 0;
      const counted = () => {
        statements += 1;
      };
      database.reader.on('query', counted);
      await readSourceDetails(database.reader, names, limits);
      database.reader.removeListener('query', counted);
      return statements;
    };
    const names = Array.from({ length: 100 }, (_, number) => `many-${number}`);
    for (const name of names) await ensureSource(database, name, at);
    expect(await count(names)).toBe(await count(names.slice(0, 1)));
  });
});
