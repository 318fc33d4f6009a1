import { hostname, userInfo } from 'node:os';
import { noteAct } from '../../bridge/sources/source-acts.ts';
import type { StoredBridge } from '../../bridge/stored-bridge.ts';
import type { Action, Actor } from '../../store/admin/audit.ts';

/** As the audit log names who types: the user of the operating system, and the machine. */
export function actor(): Actor {
  return { who: `${userName()}@${hostname()}` };
}

/** In a container there may be none of that number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** What somebody does at the command line, into the audit log. */
export function noteCommand(
  bridge: Pick<StoredBridge, 'database' | 'clock'>,
  action: Action,
  what?: string,
): Promise<void> {
  return noteAct(bridge, actor(), action, what);
}
