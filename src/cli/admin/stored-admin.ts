import { loadConfig } from '../../bridge/config/load-config.ts';
import { noteAct } from '../../bridge/sources/source-acts.ts';
import { openStored, type StoredBridge } from '../../bridge/stored-bridge.ts';
import { toIso } from '../../core/datetime.ts';
import type { Action } from '../../store/admin/audit.ts';
import { actor } from '../terminal/actor.ts';
import type { CommandIo } from '../terminal/io.ts';

export interface AdminFlags {
  readonly config?: string;
  readonly json: boolean;
}

export interface StoredAdmin extends Pick<StoredBridge, 'config' | 'database'> {
  readonly now: string;
  /** Into the audit log. */
  note(action: Action, what?: string): Promise<void>;
}

/** The database, for as long as a command works with it. */
export async function withStored(
  flags: AdminFlags,
  io: CommandIo,
  work: (bridge: StoredAdmin) => Promise<number>,
): Promise<number> {
  const { config, database, clock, close } = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  const now = toIso(clock.now());
  const note = (action: Action, what?: string) => noteAct({ database, clock }, actor(), action, what);
  try {
    return await work({ config, database, now, note });
  } finally {
    await close();
  }
}
