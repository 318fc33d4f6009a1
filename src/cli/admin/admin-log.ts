import { listActs } from '../../store/admin/audit.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { type AdminFlags, withStored } from './stored-admin.ts';

export function logCommand(flags: AdminFlags & { readonly limit: number }, io: CommandIo): Promise<number> {
  return withStored(flags, io, async ({ database }) => {
    for (const act of await listActs(database.reader, { limit: flags.limit })) {
      const { at, who, action, what, address } = act;
      const done = what === undefined ? action : `${action}: ${what}`;
      const from = address === undefined ? '' : ` (from ${address})`;
      printResult(io, flags.json, act, `${at}  ${who}  ${done}${from}`);
    }
    return exitCodes.ok;
  });
}
