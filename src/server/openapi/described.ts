import { type TSchema, Type } from '@sinclair/typebox';
import type { Operation } from './operation.ts';

/** How a route of the API is described: what it answers with is JSON. */
export function described(
  summary: string,
  answers: Readonly<Record<number, readonly [string, TSchema | undefined]>>,
  problems: readonly number[] = [],
): Operation {
  const told = Object.entries(answers).map(([status, [description, schema]]) => [
    status,
    {
      description,
      ...(status === '204' ? {} : { content: { 'application/json': schema } }),
      ...(status === '202' ? { headers: { Location: 'Where it can be followed.' } } : {}),
    },
  ]);
  return {
    summary,
    tag: 'management',
    answers: Object.fromEntries(told),
    problems: [...new Set([401, 403, ...problems])].sort(),
  };
}

export const sourceParams = Type.Object({ source: Type.String({ description: 'The name of a source.' }) });

/** Of whatever has a number. */
export const numberParams = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) });

/** The newest first. */
export const beforeQuery = Type.Object({
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Those before this number.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
});
