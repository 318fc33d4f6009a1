import type { PushConfig } from './push-schema.ts';

/** Of the hub of our own, below `baseUrl`. */
export const hubPath = 'hub';

/** Where changes of a set can be subscribed to; none: its documents name no channels. What is private nobody else is told of. */
export function hubsOf(
  { baseUrl, push }: { readonly baseUrl: string; readonly push: PushConfig },
  { isPrivate }: { readonly isPrivate?: true | undefined },
): readonly string[] {
  return [...(push.hub ? [`${baseUrl}/${hubPath}`] : []), ...(isPrivate ? [] : push.externalHubs)];
}
