import { Readable } from 'node:stream';
import type { Queryable } from '../../../store/engine/database.ts';
import { type LogFilter, type LogLine, listLog } from '../../../store/presence/log-lines.ts';

const linesAtATime = 500;

/** All lines, the newest first, one object a line; read as fast as somebody takes them. */
export function downloadLog(db: Queryable, filter: LogFilter): Readable {
  return Readable.from(chunks(db, filter), { objectMode: false, highWaterMark: 1 });
}

async function* chunks(db: Queryable, filter: LogFilter): AsyncGenerator<string> {
  for (let before: number | undefined; ; ) {
    const lines: readonly LogLine[] = await listLog(db, filter, { before, limit: linesAtATime });
    if (lines.length > 0) yield lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    before = lines.at(-1)?.id;
    if (lines.length < linesAtATime) return;
  }
}
