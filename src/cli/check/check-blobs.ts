import type { Bridge } from '../../bridge/bridge.ts';
import { countOf } from '../../core/count-of.ts';
import {
  type AuditedPayloads,
  auditPayloads,
  type Damage,
  type OctetsRead,
} from '../../store/payloads/blob-audit.ts';
import { contentFile } from '../../store/payloads/content-files.ts';
import {
  findPayloadOwners,
  listMissingPayloads,
  type PayloadOwner,
} from '../../store/payloads/payload-owners.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { Finding } from './finding.ts';

/** Whose they are is looked up for so many at a time: each look reads through all versions. */
const damagesAtATime = 5000;
/** Owners that one finding names. */
const mostNamed = 5;

/** Reads every payload that is kept, and says of each that is damaged whose it is; the repository is not needed. */
export async function* checkBlobs(
  { database, config }: Pick<Bridge, 'database' | 'config'>,
  signal: AbortSignal,
  onProgress?: OctetsRead,
): AsyncGenerator<Finding> {
  const db = database.reader;
  const audit = auditPayloads(db, config.directory, signal, onProgress);
  let damages: Damage[] = [];
  let count = 0;
  for (let total: AuditedPayloads | undefined; !total; ) {
    const next = await audit.next();
    if (next.done) total = next.value;
    else damages.push(next.value);
    if (damages.length > 0 && (total || damages.length === damagesAtATime)) {
      const owners = await findPayloadOwners(
        db,
        damages.map(({ hash }) => hash),
      );
      yield* describeDamages(damages, owners, config.directory);
      count += damages.length;
      damages = [];
    }
    if (!total) continue;
    for await (const missing of listMissingPayloads(db)) {
      signal.throwIfAborted();
      for (const owner of missing) yield describeMissing(owner);
      count += missing.length;
    }
    yield summary(total, count);
  }
}

function* describeDamages(
  damages: readonly Damage[],
  owners: readonly PayloadOwner[],
  directory: string,
): Generator<Finding> {
  const byHash = new Map<string, PayloadOwner[]>();
  for (const owner of owners) {
    const others = byHash.get(owner.hash);
    if (others) others.push(owner);
    else byHash.set(owner.hash, [owner]);
  }
  for (const { hash, message, isFile } of damages) {
    const own = byHash.get(hash) ?? [];
    const advice = isFile ? fileAdvice(contentFile(directory, hash), own) : metadataAdvice(own);
    yield failure(hash, `${message}. ${whose(own)} ${advice}`);
  }
}

function describeMissing(owner: PayloadOwner): Finding {
  return failure(owner.hash, `it is missing. ${whose([owner])} ${metadataAdvice([owner])}`);
}

function failure(hash: string, message: string): Finding {
  return { check: `payload ${hash}`, ok: false, message, exitCode: exitCodes.storage };
}

const roles = {
  current: 'has this content since',
  earlier: 'had this content since',
  prior: 'had this content, in its history upstream, since',
  patch: 'has this patch for its change at',
} as const;

function whose(owners: readonly PayloadOwner[]): string {
  if (owners.length === 0)
    return 'No version has this content any more; other versions may be stored as differences from it.';
  const named = owners.slice(0, mostNamed).map(({ name, role, since }) => `${name} ${roles[role]} ${since}`);
  const more = owners.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function metadataAdvice(owners: readonly PayloadOwner[]): string {
  const delivered = owners.filter(({ role }) => role === 'current' || role === 'prior');
  const sources = [...new Set(delivered.map(({ source }) => source))];
  if (sources.length > 0) {
    return `To read again what the repository still has: rsbridge harvest ${sources.join(' ')} --full`;
  }
  if (owners.every(({ role }) => role === 'patch')) {
    return 'It is lost; clients take the whole record instead.';
  }
  return 'That version is lost, unless there is a backup; the versions before and after it are served.';
}

/** What is current of a mirror is downloaded again; nobody but a backup has what is past. */
function fileAdvice(file: string, owners: readonly PayloadOwner[]): string {
  const current = owners.filter(({ role, upstreamUrl }) => role === 'current' && upstreamUrl !== undefined);
  const sources = [...new Set(current.map(({ source }) => source))];
  return sources.length > 0
    ? `It is downloaded again by: rsbridge harvest ${sources.join(' ')} --full`
    : `It is lost, unless a backup has it: put it back as ${file}; the versions before and after it are served.`;
}

function summary(total: AuditedPayloads, damaged: number): Finding {
  const { payloads, bytes, stored, deltas, files, objects, toMove } = total;
  const apart =
    objects > 0
      ? `, ${deltas} of them as deltas, ${files} as files and ${objects} in the object storage`
      : `, ${deltas} of them as deltas and ${files} as files`;
  const left =
    toMove > 0 ? `; ${toMove} of them would be in the object storage by now: rsbridge storage migrate` : '';
  const kept = `${countOf(payloads, 'payload')} of ${countOf(bytes, 'byte')}${apart}, ${countOf(stored, 'byte')} in the database${left}`;
  return {
    check: 'payloads',
    ok: damaged === 0,
    message: damaged === 0 ? `${kept}; all match their hashes` : `${damaged} damaged or missing; ${kept}`,
    ...(damaged === 0 ? {} : { exitCode: exitCodes.storage }),
  };
}
