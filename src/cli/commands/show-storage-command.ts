import { measureFiles } from '../../bridge/state/file-sizes.ts';
import { readStorage } from '../../bridge/state/storage.ts';
import { createSurvey } from '../../bridge/state/survey.ts';
import { countOf } from '../../core/count-of.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError } from '../../core/errors.ts';
import { storageWords } from '../../server/admin/storage/storage-words.ts';
import type { StorageMeasures } from '../../server/measures.ts';
import { createReader } from '../../server/words/reader.ts';
import { readFreeBytes, readTableSizes } from '../../store/reading/database-size.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { withBridge } from '../terminal/with-bridge.ts';
import type { StorageFlags } from './storage-command.ts';

/** What is kept and where, every file counted. */
export async function showStorageCommand(flags: StorageFlags, io: CommandIo): Promise<number> {
  const signal = eitherOf(io.stop, io.abort);
  return withBridge(flags, io, 'nothing', async (bridge) => {
    try {
      const files = await measureFiles(bridge, signal, Number.POSITIVE_INFINITY);
      const known = {
        tables: await readTableSizes(bridge.database),
        freeBytes: await readFreeBytes(bridge.database),
      };
      const measures = await readStorage(bridge, createSurvey(bridge), known, files);
      printResult(io, flags.json, measures, linesOf(measures).join('\n'));
      return exitCodes.ok;
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new BridgeError('interrupted', 'stopped as asked, before all files were counted', {
        cause: error,
      });
    }
  });
}

const reader = createReader('en');
const words = storageWords.en;

function linesOf(measures: StorageMeasures): readonly string[] {
  const { at, database, tables, items, resources, files, inBucket, disks, backupAt, waiting } = measures;
  const sized = (name: string, bytes: number | undefined) =>
    bytes === undefined ? [] : [`  ${name}: ${reader.size(bytes)}`];
  const counted = (count: number, bytes: number) =>
    `${countOf(count, 'file', reader.count(count))}, ${reader.size(bytes)}`;
  return [
    `${words.clients[database.client]}, at ${at}`,
    ...sized('size', database.bytes),
    ...sized('write-ahead log', database.walBytes),
    ...sized('of the size, empty', database.freeBytes),
    `  ${countOf(items, 'item', reader.count(items))}, deleted ones included; ${countOf(resources, 'resource', reader.count(resources))}`,
    `  last backup that is known: ${backupAt === undefined ? 'none' : reader.age(backupAt, at)}`,
    `  work that is due, and waits: ${reader.count(waiting)}`,
    'disks',
    ...disks.map(
      ({ place, free, total }) =>
        `  of ${words.diskOf[place] ?? place}: ${reader.size(free)} free of ${reader.size(total)}`,
    ),
    'files in the data directory',
    ...(files?.places ?? []).map(
      ({ place, files: count, bytes }) => `  ${words.places[place]}: ${counted(count, bytes)}`,
    ),
    ...(inBucket.length > 0 ? [`  in the object storage, not counted: ${inBucket.join(', ')}`] : []),
    ...(files && files.sources.length > 0 ? ['documents and packages by source'] : []),
    ...(files?.sources ?? []).map(({ name, files: count, bytes }) => `  ${name}: ${counted(count, bytes)}`),
    ...(tables.length > 0 ? ['tables, with indexes; rows are an estimate'] : []),
    ...tables.map(
      ({ name, bytes, rows }) =>
        `  ${name}: ${reader.size(bytes)}, about ${countOf(rows, 'row', reader.count(rows))}`,
    ),
  ];
}
