import { BridgeError } from '../../core/errors.ts';

/** What is wrong with a configuration that has nothing to harvest, and what to type. */
export const noSource =
  'the configuration names no source, so there is nothing to harvest; add one: rsbridge sources add URL keeps it in the database, rsbridge init URL --dry-run prints the lines for `sources:`';

export function noSourceError(): BridgeError {
  return new BridgeError('config-invalid', noSource);
}
