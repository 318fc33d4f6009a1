import type { ConditionalRequest } from '../http/conditions.ts';
import type { Asked } from '../repeated/answer-memory.ts';

/** Of a usual request, all that there can be of conditions (`repeated/repeated-answers.ts`). */
export function conditionalOf(
  { method, ifNoneMatch, ifModifiedSince }: Asked,
  now: string,
): ConditionalRequest {
  if (ifNoneMatch === undefined && ifModifiedSince === undefined) return { method, headers: none, now };
  const headers = {
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
    ...(ifModifiedSince !== undefined && { 'if-modified-since': ifModifiedSince }),
  };
  return { method, headers, now };
}

const none = {};
