import type { TSchema } from '@sinclair/typebox';
import { redactKnown } from '../../core/secrets.ts';
import { leaves } from './origins.ts';

const hidden = '[secret]';

/**
 * Settings one by one, by their dotted paths, for whoever may see the configuration: what is secret is nobody's business.
 * @param schema of all of them
 */
export function shownSettings(schema: TSchema, settings: object): readonly (readonly [string, unknown])[] {
  return [...leaves(settings)].map(([path, value]) => [
    path.join('.'),
    isSecret(schema, path) ? hidden : withoutSecrets(value),
  ]);
}

/** A secret may have been put into an address. */
function withoutSecrets(value: unknown): unknown {
  const text = JSON.stringify(value);
  const plain = redactKnown(text);
  return plain === text ? value : hidden;
}

/** Whether the schema says so of the place, of something around it, or, of a list, of what is in it. */
function isSecret(schema: TSchema, [key, ...rest]: readonly string[]): boolean {
  if (schema.secret === true) return true;
  const options = (schema.anyOf as TSchema[] | undefined) ?? [];
  if (options.some((option) => isSecret(option, key === undefined ? [] : [key, ...rest]))) return true;
  if (key === undefined) return schema.items !== undefined && isSecret(schema.items as TSchema, []);
  const own = (schema.properties as Record<string, TSchema> | undefined)?.[key];
  const each = Object.values((schema.patternProperties ?? {}) as Record<string, TSchema>);
  return [...(own ? [own] : each)].some((inner) => isSecret(inner, rest));
}
