import { countOf } from '../../core/count-of.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError } from '../../core/errors.ts';
import { countFailed } from '../../oai-conformance/answers/verdicts.ts';
import { type Profile, profiles } from '../../oai-conformance/checks/profile.ts';
import { type EndpointValidation, validateEndpoint } from '../../oai-conformance/endpoint-validation.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { CommandIo } from '../terminal/io.ts';
import { createProgress } from '../terminal/progress.ts';
import { openEndpointPort } from './oai-port.ts';
import { printEndpointValidation } from './oai-report.ts';
import { parseAddress } from './validate-address.ts';

export interface ValidateOaiFlags {
  readonly json: boolean;
  readonly profile?: Profile | 'all';
  readonly records: number;
  readonly all: boolean;
  readonly allowPrivate: boolean;
  readonly strict: boolean;
  readonly contact?: string;
}

/** Judges any OAI-PMH endpoint, and says what to do about what it found. */
export async function validateOaiCommand(
  address: string,
  flags: ValidateOaiFlags,
  io: CommandIo,
): Promise<number> {
  const validation = await validateUrl(parseAddress(address), flags, io);
  printEndpointValidation(validation, flags.json, io);
  const { errors, warnings } = countFailed(validation.verdicts);
  if (errors + (flags.strict ? warnings : 0) > 0) return exitCodes.needsAttention;
  // What nobody could judge has not passed.
  const isOpen = validation.verdicts.some(({ state }) => state === 'unjudged');
  return isOpen ? exitCodes.upstream : exitCodes.ok;
}

async function validateUrl(url: URL, flags: ValidateOaiFlags, given: CommandIo): Promise<EndpointValidation> {
  const progress = createProgress(given, flags);
  const { io } = progress;
  const signal = eitherOf(io.stop, io.abort);
  const port = openEndpointPort(url, flags, signal, io);
  try {
    return await validateEndpoint(url, port, {
      records: flags.all ? Number.POSITIVE_INFINITY : flags.records,
      profiles:
        flags.profile === undefined ? undefined : flags.profile === 'all' ? profiles : [flags.profile],
      onProgress: (done, records) => {
        const note = countOf(records, 'record');
        progress.show('validate', { label: 'validate', done, noun: 'request', note }, () => {
          return `${countOf(done, 'request')}, ${note}`;
        });
      },
    });
  } catch (error) {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped before the end', { cause: error });
    throw error;
  } finally {
    progress.end();
    await port.close();
  }
}
