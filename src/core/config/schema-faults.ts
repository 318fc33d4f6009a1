import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { say } from '../reasons/reason.ts';
import { nearestOf, suggestion } from './suggestion.ts';

/**
 * What is wrong with a value, a sentence for each place: where it is, and what to write there. A schema may
 * bring words of its own (`write`), which say it better than its pattern; a `secret` value is not repeated.
 */
export function* schemaFaults(schema: TSchema, value: unknown, place = ''): Generator<string> {
  // Whether anything is wrong is found out at a fraction of the cost of what it is.
  if (Value.Check(schema, value)) return;
  const chosen = chosenOption(schema, value);
  const inner = [...innerFaults(chosen, value, place)];
  yield* inner;
  if (inner.length === 0) yield `${place || 'configuration'}: ${fault(chosen, value)}`;
}

function* innerFaults(schema: TSchema, value: unknown, place: string): Generator<string> {
  const below = (key: string | number) => (place === '' ? String(key) : `${place}.${key}`);
  if (Array.isArray(value) && schema.items) {
    for (const [index, child] of value.entries())
      yield* schemaFaults(schema.items as TSchema, child, below(index));
  }
  if (!isObject(value)) return;
  const [each] = Object.values((schema.patternProperties ?? {}) as Record<string, TSchema>);
  if (each) for (const [key, child] of Object.entries(value)) yield* schemaFaults(each, child, below(key));
  const properties = schema.properties as Record<string, TSchema> | undefined;
  if (!properties) return;
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(properties, key))
      yield `${below(key)}: ${say('key-unknown', suggestion(key, Object.keys(properties)))}`;
  }
  const required = (schema.required ?? []) as readonly string[];
  for (const [key, child] of Object.entries(properties)) {
    if (value[key] !== undefined || required.includes(key))
      yield* schemaFaults(child, value[key], below(key));
  }
}

/** Of alternatives the one that is meant: by its words (`client: pg`), by its keys, or by its kind. */
function chosenOption(schema: TSchema, value: unknown): TSchema {
  const options = (schema.anyOf as TSchema[] | undefined) ?? [];
  const fitting = options.filter((option) => isOfKind(option, value));
  const keyed = isObject(value)
    ? (fitting.find((option) => namesWord(option) && matchesLiterals(value, option)) ??
      fitting.find((option) => hasKeyOf(option, value)))
    : undefined;
  const only = fitting.length === 1 && !isObject(value) ? fitting[0] : undefined;
  const chosen = keyed ?? only;
  return chosen === undefined || chosen.write !== undefined || schema.write === undefined
    ? (chosen ?? schema)
    : { ...chosen, write: schema.write };
}

function isOfKind({ type, const: word, anyOf }: TSchema, value: unknown): boolean {
  if (word !== undefined || anyOf !== undefined) return false;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? typeof value === 'number' : type === typeof value;
}

function namesWord({ properties }: TSchema): boolean {
  return Object.values((properties ?? {}) as Record<string, TSchema>).some(({ const: word }) => word);
}

function hasKeyOf({ properties }: TSchema, value: Record<string, unknown>): boolean {
  return Object.keys((properties ?? {}) as object).some((key) => Object.hasOwn(value, key));
}

function fault(schema: TSchema, value: unknown): string {
  const wanted = wordsFor(schema);
  if (value === undefined) return say('value-missing', { wanted });
  if (Array.isArray(value) && schema.uniqueItems === true && value.length >= (schema.minItems ?? 0)) {
    const twice = value.find((entry, index) => value.findIndex((one) => Value.Equal(one, entry)) !== index);
    if (twice !== undefined) return say('value-twice', { text: told(twice) });
  }
  const words = wordsOf(schema);
  const meant = (typeof value === 'string' ? nearestOf(value, words) : undefined) ?? '';
  const text = schema.secret === true ? 'the given value' : told(value);
  return say('value-other', { wanted, text, meant });
}

/** What can be written where the schema is, in words. */
function wordsFor(schema: TSchema): string {
  if (typeof schema.write === 'string') return schema.write;
  if (schema.const !== undefined) return String(schema.const);
  if (schema.anyOf !== undefined) return alternatives((schema.anyOf as TSchema[]).map(wordsFor));
  switch (schema.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number${limits(schema)}`;
    case 'number':
      return `a number${limits(schema)}`;
    case 'string':
      return schema.minLength === undefined ? 'a text' : 'a text that is not empty';
    case 'array':
      return `a list${schema.minItems === undefined ? '' : ' of at least one'}: [${wordsFor(schema.items)}, …]`;
    default:
      return settings(Object.keys((schema.properties ?? {}) as object));
  }
}

/** `{ last: … }`: up to three of its keys. */
function settings(keys: readonly string[]): string {
  if (keys.length === 0) return 'settings: { NAME: …, … }';
  const some = keys.slice(0, 3).map((key) => `${key}: …`);
  return `${keys.length === 1 ? '' : 'settings such as '}{ ${some.join(', ')} }`;
}

function wordsOf({ anyOf }: TSchema): readonly string[] {
  return ((anyOf ?? []) as TSchema[]).flatMap(({ const: word }) => (typeof word === 'string' ? [word] : []));
}

function limits({ minimum, exclusiveMinimum, maximum }: TSchema): string {
  const least = minimum === undefined ? undefined : String(minimum);
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${maximum === undefined ? '' : `, ${maximum} at most`}`;
  if (least !== undefined && maximum !== undefined) return ` from ${least} to ${maximum}`;
  if (least !== undefined) return ` from ${least} up`;
  return maximum === undefined ? '' : `, ${maximum} at most`;
}

/** `a, b or c`. */
function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function told(value: unknown): string {
  const text =
    typeof value === 'string' && value.includes('://') ? 'the given address' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

export function matchesLiterals(value: Record<string, unknown>, schema: TSchema): boolean {
  const properties = schema.properties as Record<string, TSchema> | undefined;
  return Object.entries(properties ?? {}).every(
    ([key, child]) => child.const === undefined || child.const === value[key],
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
