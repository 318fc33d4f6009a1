import { countOf } from '../../core/count-of.ts';
import type { ExportProgress } from '../../export/export.ts';
import type { CommandIo } from '../terminal/io.ts';

const quietMs = 10_000;
const frameMs = 200;

/** One moving line on a terminal, else a line every ten seconds. */
export function createExportProgress(io: CommandIo, now: () => number = Date.now) {
  const startedAt = now();
  let lastAt = startedAt;
  let drawn = false;
  const terminal = io.stderr.isTTY === true;
  return {
    update({ phase, done, written }: ExportProgress): void {
      if (now() - lastAt < (terminal ? frameMs : quietMs)) return;
      lastAt = now();
      const line = `${phase}: ${done} compared, ${countOf(written, 'file')} written in ${Math.round((lastAt - startedAt) / 1000)} s`;
      io.stderr.write(terminal ? `\r\u001b[K${line}` : `${line}\n`);
      drawn = terminal;
    },
    /** Leaves the terminal as found. */
    end(): void {
      if (drawn) io.stderr.write('\r\u001b[K');
      drawn = false;
    },
  };
}
