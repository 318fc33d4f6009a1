import type { ResourceKind } from './resource.ts';

/**
 * Why the past of something that was deleted is not handed out, whoever asks and in whatever way; undefined: it is.
 * What is public no more at its source does not stay public here: files never, metadata where the configuration
 * says so.
 * @param ofDeleted `mementos.ofDeleted` of its source
 */
export function whyWithheld(
  { kind, deletedAt }: { readonly kind: ResourceKind; readonly deletedAt: string | undefined },
  ofDeleted: boolean,
): string | undefined {
  if (deletedAt === undefined) return undefined;
  if (kind === 'file') return `this file was deleted at ${deletedAt}, and what it was before went with it`;
  return ofDeleted
    ? undefined
    : `this resource was deleted at ${deletedAt}, and what it was before is not handed out here`;
}
