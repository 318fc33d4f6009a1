import { randomBytes } from 'node:crypto';
import { countOf } from '../../core/count-of.ts';
import { BridgeError, describeError, isBridgeError } from '../../core/errors.ts';
import { contentOf, type ObjectStore } from '../../core/payloads/object-store.ts';
import { comparePublication } from '../../publish/sets/moved-publication.ts';
import { exitCodeOf, exitCodes } from '../terminal/exit-codes.ts';
import type { Finding } from './finding.ts';

/** Writes an object, reads it, and deletes it again: what the object storage allows is known by trying. */
export async function checkObjects(objects: ObjectStore, signal: AbortSignal): Promise<Finding> {
  const check = 'object storage';
  const bytes = randomBytes(64);
  const key = `check/${bytes.toString('hex').slice(0, 16)}`;
  try {
    await objects.put(key, contentOf(bytes), { ifAbsent: true, signal });
    const found = await objects.get(key, { signal });
    const chunks: Uint8Array[] = [];
    for await (const chunk of found?.body ?? []) chunks.push(chunk as Uint8Array);
    const again = await objects.put(key, contentOf(bytes), { ifAbsent: true, signal });
    await objects.list('check/', signal).next();
    await objects.delete(key, signal);
    if (!Buffer.concat(chunks).equals(bytes))
      throw differs(objects, 'gives back other bytes than it was given');
    const conditions = again.kind === 'stored' ? '; it does not heed conditions (If-None-Match)' : '';
    return {
      check,
      ok: true,
      message: `an object was written to ${objects.place}, read and deleted${conditions}`,
    };
  } catch (error) {
    return findingOf(check, error);
  }
}

/** Compares what is published with what is on the disk and in the object storage. */
export async function checkPublished(directory: string, signal: AbortSignal): Promise<Finding> {
  const check = 'published documents';
  try {
    const { files, missing, toMove } = await comparePublication(directory, signal);
    const places = `${countOf(files, 'file')}, all of them there`;
    const left = `; ${countOf(toMove, 'file')} still on the disk: rsbridge storage migrate`;
    if (missing === 0) return { check, ok: true, message: `${places}${toMove > 0 ? left : ''}` };
    const message = `of ${countOf(files, 'file')}, ${missing} neither on the disk of this machine nor in the object storage; what they belong to is rendered anew when rsbridge serve is started again, or by rsbridge publish`;
    return { check, ok: false, message, exitCode: exitCodes.storage, mend: 'rsbridge publish' };
  } catch (error) {
    return findingOf(check, error);
  }
}

function findingOf(check: string, error: unknown): Finding {
  if (!isBridgeError(error)) throw error;
  const message = `${describeError(error)}. ${error.advice} [${error.code}]`;
  const mend = 'rsbridge check (after `storage.s3` is right)';
  return { check, ok: false, message, exitCode: exitCodeOf(error.code), mend };
}

function differs({ place }: ObjectStore, what: string): BridgeError {
  return new BridgeError('objects-refused', `${place} ${what}`);
}
