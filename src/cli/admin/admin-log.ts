import { listActs } from '../../store/admin/audit.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { type AdminFlags, withStored } from './stored-admin.ts';

export interface LogFlags extends AdminFlags {
  readonly limit: number;
  /** Whom, what or where from. */
  readonly find?: string;
  readonly action?: string;
  /** ISO. */
  readonly since?: string;
  readonly until?: string;
}

export function logCommand({ limit, find, ...flags }: LogFlags, io: CommandIo): Promise<number> {
  return withStored(flags, io, async ({ database }) => {
    for (const act of await listActs(database.reader, { ...flags, limit, q: find })) {
      const { at, who, action, what, address } = act;
      const done = what === undefined ? action : `${action}: ${what}`;
      const from = address === undefined ? '' : ` (from ${address})`;
      printResult(io, flags.json, act, `${at}  ${who}  ${done}${from}`);
    }
    return exitCodes.ok;
  });
}
