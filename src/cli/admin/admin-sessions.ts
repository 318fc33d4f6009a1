import { BridgeError } from '../../core/errors.ts';
import { endSession, listSessions } from '../../store/admin/sessions.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { printable } from '../terminal/terminal-text.ts';
import { type AdminFlags, withStored } from './stored-admin.ts';

/** Who is signed in, the latest used first. */
export function listSessionsCommand(flags: AdminFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async ({ database, now }) => {
    const sessions = await listSessions(database.reader, now);
    for (const { hash, account, createdAt, usedAt, address, agent } of sessions) {
      const said = { session: hash, account, createdAt, usedAt, address, agent };
      const text = `${hash}  ${account}  last used ${usedAt} from ${address} (${printable(agent)}), since ${createdAt}`;
      printResult(io, flags.json, said, text);
    }
    if (sessions.length === 0 && !flags.json) printResult(io, false, {}, 'nobody is signed in');
    return exitCodes.ok;
  });
}

export function endSessionCommand(session: string, flags: AdminFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async ({ database, note }) => {
    if (!(await endSession(database, session)))
      throw new BridgeError(
        'usage',
        `there is no session ${printable(session)}; rsbridge admin sessions list shows them`,
      );
    await note('ended a session');
    printResult(io, flags.json, { session, ended: true }, 'the session has ended');
    return exitCodes.ok;
  });
}
