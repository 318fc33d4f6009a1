import { Readable } from 'node:stream';
import type { Queryable } from '../../../store/engine/database.ts';
import { listUnreadable } from '../../../store/runs/unreadable.ts';
import { csvLine } from './csv-line.ts';

const rowsAtATime = 500;
const columns = [
  ...['identifier', 'format', 'code', 'cause', 'message', 'repairs'],
  ...['firstSeenAt', 'lastSeenAt', 'run', 'bytes'],
] as const;

/**
 * Records that could not be read, a line each, as spreadsheets read it; read as fast as somebody takes them.
 * @param cause undefined: of all causes
 */
export function problemsCsv(
  db: Queryable,
  sourceId: number | undefined,
  cause: string | undefined,
): Readable {
  return Readable.from(chunks(db, sourceId, cause), { objectMode: false, highWaterMark: 1 });
}

async function* chunks(
  db: Queryable,
  sourceId: number | undefined,
  cause: string | undefined,
): AsyncGenerator<string> {
  // By the mark at its beginning spreadsheets know UTF-8.
  yield `\uFEFF${csvLine(columns)}`;
  for (let after = 0; sourceId !== undefined; ) {
    const some = await listUnreadable(db, sourceId, { after, limit: rowsAtATime, cause });
    const last = some.at(-1);
    if (last === undefined) return;
    after = last.id;
    yield some
      .map(({ identifier, format, code, cause: common, message, repairs = [], ...seen }) =>
        csvLine([
          ...[identifier, format, code, common, message, repairs.join('; ')],
          ...[seen.firstSeenAt, seen.lastSeenAt, String(seen.runId), seen.rawLength?.toString()],
        ]),
      )
      .join('');
  }
}
