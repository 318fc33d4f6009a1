import { BridgeError } from '../../../src/core/errors.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { hrefs } from './role.ts';

/**
 * Whoever follows a Source that follows it would hand on its own resources for ever.
 * @param own where we publish, without a slash at the end; undefined: that is not known
 * @throws BridgeError `config-invalid`
 */
export function refuseOwn(statement: Statement, own: string | undefined): void {
  if (own === undefined) return;
  const isOwn = (uri: string) => uri === own || uri.startsWith(`${own}/`);
  const { loc } = statement;
  if (isOwn(loc)) refuse(`lists ${loc}, which this bridge itself publishes`);
  const via = hrefs(statement, 'via').find(isOwn);
  if (via !== undefined) refuse(`has ${loc} from ${via}, which this bridge itself publishes (rel="via")`);
}

/** The same of the address of a Source. */
export function refuseOwnSource(uri: string, own: string | undefined): void {
  if (own !== undefined && (uri === own || uri.startsWith(`${own}/`)))
    refuse(`is published by this bridge itself (${uri})`);
}

function refuse(why: string): never {
  throw new BridgeError(
    'config-invalid',
    `the Source ${why}: harvesting it would go in a circle; take the source out of the configuration, or name a set of it that is not made from this bridge`,
  );
}
