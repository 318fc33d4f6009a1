import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BridgeError } from '../core/errors.ts';
import { checkDocument } from '../publish/conformance/document-check.ts';
import { type Validation, validateSource } from '../publish/conformance/source-validation.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommandIo, say } from './io.ts';
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
  const file = address === '-' ? address : resolve(io.cwd, address);
  const isFile = address === '-' || (!/^[a-z][a-z0-9+.-]+:\/\//i.test(address) && existsSync(file));
  const validation = isFile
    ? await validateFile(address, address === '-' ? process.stdin : createReadStream(file))
    : await validateUrl(parseAddress(address), flags, io);
  printValidation(validation, flags.json, io);
  const { errors, warnings } = countFindings(validation);
  return errors + (flags.strict ? warnings : 0) > 0 ? exitCodes.needsAttention : exitCodes.ok;
}

/** Nothing is fetched for a document that is at hand: it is judged alone. */
async function validateFile(name: string, chunks: AsyncIterable<Uint8Array>): Promise<Validation> {
  const { kind, entries, findings, suppressed } = await checkDocument(chunks, {
    maximumFindings: shownPerRule,
  });
  const counts = { documents: 1, entries, sampled: 0, packages: 0 };
  return { uris: [{ uri: name, kind, entries, findings, suppressed }], notes: [], ...counts };
}

async function validateUrl(url: URL, flags: ValidateFlags, io: CommandIo): Promise<Validation> {
  const signal = AbortSignal.any([io.stop, io.abort]);
  const port = openSourcePort(url, flags, signal, io);
  try {
    return await validateSource(url, port, {
      follow: flags.follow,
      sample: flags.sample,
      packages: flags.packages,
      maximumPackageBytes: flags.maxPackageBytes,
      maximumDocuments: flags.maxDocuments,
      maximumFindings: shownPerRule,
      onProgress: createPace(io),
    });
  } catch (error) {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped before the end', { cause: error });
    throw error;
  } finally {
    await port.close();
  }
}

function parseAddress(address: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new BridgeError('usage', `${address} is neither a web address nor a file`);
  }
  url.hash = '';
  return url;
}

const quietMs = 10_000;

function createPace(io: CommandIo): (documents: number, entries: number) => void {
  let saidAt = Date.now();
  return (documents, entries) => {
    if (Date.now() - saidAt < quietMs) return;
    saidAt = Date.now();
    say(io, `${documents} documents, ${entries} entries so far`);
  };
}
