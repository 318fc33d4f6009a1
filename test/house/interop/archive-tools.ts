import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The Python of an environment that has warcio 1.8.1 and ocfl-py 2.1.0; `.ci/run` makes it and says where. */
export const archiveTools = process.env.ARCHIVE_TOOLS_PYTHON;

if (!archiveTools) {
  process.stderr.write(
    'SKIPPED: warcio and ocfl-py need ARCHIVE_TOOLS_PYTHON=/path/to/python of an environment with them\n',
  );
}

const script = join(import.meta.dirname, 'archive-tools.py');

/** What they make of it. */
export function archiveTool(kind: 'warc' | 'ocfl', ...places: readonly string[]): unknown {
  const options = { encoding: 'utf8', maxBuffer: 256 * 1024 ** 2 } as const;
  return JSON.parse(execFileSync(archiveTools ?? '', ['-W', 'ignore', script, kind, ...places], options));
}
