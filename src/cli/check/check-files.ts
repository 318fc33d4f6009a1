import type { Bridge } from '../../bridge/bridge.ts';
import { findSource } from '../../store/sources/sources.ts';
import { areTalliedRight, recountFiles } from '../../store/tally/file-tally.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { Finding } from './finding.ts';

/** Whether the files of a source that `status` counts where they change are as many as there are. Else they are counted anew. */
export async function* checkFiles({ database }: Bridge, name: string): AsyncGenerator<Finding> {
  const stored = await findSource(database.reader, name);
  if (stored === undefined || (await areTalliedRight(database, stored.id))) return;
  await recountFiles(database, stored.id);
  const ok = await areTalliedRight(database, stored.id);
  yield {
    check: `files of ${name}`,
    ok: false,
    message: ok
      ? 'status told wrong numbers of files; they were counted anew, and are right now. Please report this'
      : 'status tells wrong numbers of files, also after they were counted anew. Please report this',
    exitCode: exitCodes.needsAttention,
    mend: 'rsbridge check',
  };
}
