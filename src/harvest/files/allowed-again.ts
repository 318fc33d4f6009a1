import { toIso } from '../../core/datetime.ts';
import { askAgain, listPrivateFiles, type PrivateFile } from '../../store/files/private-files.ts';
import type { HarvestDeps } from '../harvest-source.ts';
import type { HttpClient } from '../http/http.ts';
import { inLanes } from './checks/lanes.ts';

const filesAtATime = 1000;
const namesAtATime = 16;

/** Each has its settings for as long as it lives: those for which the files of their sources were looked through. */
const looked = new WeakSet<object>();

/**
 * Files that were not asked for because their addresses are not public are due at once when the settings allow those
 * by now (`network.allow`, `allowPrivateAddresses`), or when their names lead to public ones. Nobody is asked for
 * anything but the addresses of names, and that once for each client, as the settings of a source make a new one.
 * @param http for URLs found in records of this source
 * @returns how many files that are
 */
export async function askAllowedAgain(
  { database, clock }: Pick<HarvestDeps, 'database' | 'clock'>,
  http: Pick<HttpClient, 'mayReach'>,
  sourceId: number,
  signal: AbortSignal,
): Promise<number> {
  if (looked.has(http)) return 0;
  const now = toIso(clock.now());
  const known = new Map<string, Promise<boolean>>();
  const mayReach = (place: Place) => {
    const key = `${place.host} ${place.ports.join()}`;
    const found = known.get(key) ?? reachesAny(http, place);
    known.set(key, found);
    return found;
  };
  let files = 0;
  for (let after = 0; ; ) {
    const page = await listPrivateFiles(database.reader, sourceId, { now, after, limit: filesAtATime });
    const allowed: number[] = [];
    await inLanes(page, namesAtATime, async (file) => {
      signal.throwIfAborted();
      if (await mayReach(placeOf(file))) allowed.push(file.id);
    });
    await askAgain(database.writer, sourceId, allowed, now);
    files += allowed.length;
    const last = page.at(-1);
    if (last === undefined || page.length < filesAtATime) break;
    after = last.id;
  }
  looked.add(http);
  return files;
}

interface Place {
  readonly host: string;
  readonly ports: readonly number[];
}

/** Where a redirect led is known without its port. */
function placeOf({ url, host }: PrivateFile): Place {
  const { protocol, hostname, port } = new URL(url);
  if (hostname.replace(/^\[|\]$/g, '') !== host) return { host, ports: [443, 80] };
  return { host, ports: [Number(port) || (protocol === 'https:' ? 443 : 80)] };
}

async function reachesAny(http: Pick<HttpClient, 'mayReach'>, { host, ports }: Place): Promise<boolean> {
  for (const port of ports) if (await http.mayReach(host, port)) return true;
  return false;
}
