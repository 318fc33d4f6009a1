import type { ResourceKind } from '../resource.ts';

/** What decides whether the past of a resource is handed out. */
export interface Withholdable {
  readonly kind: ResourceKind;
  readonly deletedAt: string | undefined;
  /** When the operator withdrew it (`rsbridge withdraw`), it became private, or its repository refused it to everybody. */
  readonly withdrawnAt?: string | undefined;
}

/**
 * Why the past of something that was deleted is not handed out, whoever asks and in whatever way; undefined: it is.
 * What is public no more at its source does not stay public here: files never, metadata where the configuration
 * says so, and nothing that the operator has withdrawn, or that its repository keeps from everybody. `store/reading/withheld.ts` asks the same of the database.
 * @param ofDeleted `mementos.ofDeleted` of its source
 */
export function whyWithheld(
  { kind, deletedAt, withdrawnAt }: Withholdable,
  ofDeleted: boolean,
): string | undefined {
  if (withdrawnAt !== undefined)
    return `neither this resource nor what it was has been public since ${withdrawnAt}`;
  if (deletedAt === undefined) return undefined;
  if (kind === 'file') return `this file was deleted at ${deletedAt}, and all its versions with it`;
  return ofDeleted
    ? undefined
    : `this resource was deleted at ${deletedAt}, and its versions are not served any more`;
}
