import { accessSync, constants, createReadStream, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkDocument } from '../../conformance/rules/document-check.ts';
import {
  type Validation,
  type ValidationProgress,
  validateSource,
} from '../../conformance/source-validation.ts';
import { countOf } from '../../core/count-of.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError, describeError } from '../../core/errors.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { CommandIo } from '../terminal/io.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { parseAddress } from './validate-address.ts';
import { openSourcePort } from './validate-port.ts';
import { countFindings, printValidation } from './validate-report.ts';

export interface ValidateFlags {
  readonly json: boolean;
  readonly follow: boolean;
  readonly sample: number;
  readonly packages: number;
  readonly maxPackageBytes: number;
  readonly maxDocuments: number;
  readonly allowPrivate: boolean;
  readonly strict: boolean;
  readonly contact?: string;
}

/** Findings of one rule in one document that are shown; the others are counted. */
const shownPerRule = 20;

/** Checks any Source, or one document, against the rules of ResourceSync, and says where it breaks which. */
export async function validateCommand(address: string, flags: ValidateFlags, io: CommandIo): Promise<number> {
  const file = address === '-' ? address : findFile(address, io.cwd);
  const validation =
    file !== undefined
      ? await validateFile(address, file === '-' ? process.stdin : createReadStream(file))
      : await validateUrl(parseAddress(address), flags, io);
  printValidation(validation, flags.json, io);
  const { errors, warnings } = countFindings(validation);
  return errors + (flags.strict ? warnings : 0) > 0 ? exitCodes.needsAttention : exitCodes.ok;
}

// What no bare host looks like: a path, a name with a dot in front, a file of ours.
const pathForm = /^\.|[/\\](?!$)|\.(xml|zip)$/i;

/** @returns the file that is meant; undefined where a web address is */
function findFile(address: string, directory: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(address)) return undefined;
  const file = resolve(directory, address);
  let found: Stats | undefined;
  try {
    found = statSync(file, { throwIfNoEntry: false });
    if (found) accessSync(file, constants.R_OK);
  } catch (error) {
    if (pathForm.test(address)) {
      throw new BridgeError('usage', `${address} cannot be read: ${describeError(error)}`, { cause: error });
    }
  }
  if (!found) {
    if (!pathForm.test(address)) return undefined;
    throw new BridgeError(
      'usage',
      `no such file: ${address} (a web address with a path begins with https://)`,
    );
  }
  if (found.isDirectory()) {
    // A directory may have the name of a host.
    if (!pathForm.test(address) && /[^.]\.[^.]/.test(address)) return undefined;
    throw new BridgeError(
      'usage',
      `${address} is a directory; validate takes one document, or a web address`,
    );
  }
  return file;
}

/** Nothing is fetched for a document that is at hand: it is judged alone. */
async function validateFile(name: string, chunks: AsyncIterable<Uint8Array>): Promise<Validation> {
  const { kind, entries, findings, suppressed } = await checkDocument(chunks, {
    maximumFindings: shownPerRule,
  });
  const counts = { documents: 1, entries, sampled: 0, packages: 0 };
  return { uris: [{ uri: name, kind, entries, findings, suppressed }], notes: [], ...counts };
}

async function validateUrl(url: URL, flags: ValidateFlags, given: CommandIo): Promise<Validation> {
  const progress = createProgress(given, flags);
  const { io } = progress;
  const signal = eitherOf(io.stop, io.abort);
  const port = openSourcePort(url, flags, signal, io);
  show(progress, { work: 'documents', done: 0, total: 1 });
  try {
    return await validateSource(url, port, {
      follow: flags.follow,
      sample: flags.sample,
      packages: flags.packages,
      maximumPackageBytes: flags.maxPackageBytes,
      maximumDocuments: flags.maxDocuments,
      maximumFindings: shownPerRule,
      onProgress: (state) => show(progress, state),
    });
  } catch (error) {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped before the end', { cause: error });
    throw error;
  } finally {
    progress.end();
    await port.close();
  }
}

function show(progress: Progress, { work, done, total, entries }: ValidationProgress): void {
  const noun = work.slice(0, -1);
  const note = entries === undefined ? undefined : countOf(entries, 'entry');
  progress.show(
    'validate',
    { label: 'validate', done, total, noun, deed: 'checked', note },
    () => `${done} of ${countOf(total, noun)} checked${note === undefined ? '' : `, ${note}`}`,
  );
}
