import { asObject, type JsonObject } from '../json-value.ts';
import { activityStreams, canonical, coarNotify, stringsOf, textOf } from './json-ld.ts';
import { type Pattern, patternOf, patterns, typesOf } from './patterns.ts';

/** The largest one that is read, in octets. */
export const longestNotification = 65_536;
/** An index of a database has to hold it. */
const longestId = 1_024;
const longestAddress = 2_048;
const mostNames = 10;

/** What of a notification concerns us. Everything in it is as its sender says; nothing of it is ever fetched. */
export interface Notification {
  readonly id: string;
  readonly pattern: Pattern['name'];
  /** The service that sends it, by its `id`. */
  readonly origin: string;
  /** Where that one is answered. */
  readonly originInbox: string;
  readonly inReplyTo: string | undefined;
  /** Addresses and persistent identifiers of the item that it is about, the likeliest first; none: it is about no item. */
  readonly names: readonly string[];
  /** All of it, in an order of its own: the same for whoever writes the same again. */
  readonly canonical: string;
}

export type ReadNotification =
  | { readonly notification: Notification }
  /** A sentence for each thing that is wrong, for whoever writes the sender. */
  | { readonly faults: readonly string[] };

/**
 * Reads a notification of COAR Notify 1.0.
 * @param inbox ours: one that was meant for another is none of ours
 */
export function readNotification(bytes: Uint8Array, inbox: string): ReadNotification {
  const value = asObject(parse(bytes));
  if (value === undefined) return { faults: ['it is not a JSON object in UTF-8'] };
  const faults = [...faultsOf(value, inbox)];
  if (faults.length > 0) return { faults };
  const pattern = patternOf(stringsOf(value.type));
  const [id, origin, originInbox] = [
    textOf(value.id),
    textOf(part(value, 'origin').id),
    textOf(part(value, 'origin').inbox),
  ];
  if (!pattern || id === undefined || origin === undefined || originInbox === undefined)
    return { faults: ['it cannot be read'] };
  const names = [...new Set(namesIn(value, pattern))].filter(isAddress).slice(0, mostNames);
  const inReplyTo = textOf(value.inReplyTo);
  return {
    notification: {
      id,
      pattern: pattern.name,
      origin,
      originInbox,
      inReplyTo,
      names,
      canonical: canonical(value),
    },
  };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function part(value: JsonObject, name: string): JsonObject {
  return asObject(value[name]) ?? {};
}

function* faultsOf(value: JsonObject, inbox: string): Generator<string> {
  const contexts = stringsOf(value['@context']).map((context) => context.replace(/\/$/, ''));
  for (const context of [activityStreams, coarNotify])
    if (!contexts.includes(context)) yield `\`@context\` does not name ${context}`;
  const id = textOf(value.id);
  if (id === undefined || !/^(?:urn:|https?:\/\/)/i.test(id) || !isAddress(id) || id.length > longestId)
    yield `\`id\` is not a URI such as urn:uuid:0370c0fb-bb78-4a9b-87f5-bed307a509dd, of at most ${longestId} characters`;
  const pattern = patternOf(stringsOf(value.type));
  if (!pattern) yield `\`type\` is none of a pattern that is taken here: ${patterns.map(typesOf).join(', ')}`;
  yield* serviceFaults(value, 'origin');
  yield* serviceFaults(value, 'target');
  const target = textOf(part(value, 'target').inbox);
  if (target !== undefined && isWeb(target) && !isSameInbox(target, inbox))
    yield `\`target.inbox\` is ${target}, and this inbox is ${inbox}`;
  if (!isAddress(textOf(part(value, 'object').id))) yield '`object.id` is not a URI';
  if (pattern) yield* patternFaults(value, pattern);
}

function* serviceFaults(value: JsonObject, name: string): Generator<string> {
  const { id, type, inbox } = part(value, name);
  if (!isAddress(textOf(id))) yield `\`${name}.id\` is not a URI`;
  if (stringsOf(type).length === 0) yield `\`${name}.type\` is missing; of a service it is "Service"`;
  if (!isWeb(textOf(inbox))) yield `\`${name}.inbox\` is not a web address`;
}

function* patternFaults(value: JsonObject, pattern: Pattern): Generator<string> {
  const { name, about } = pattern;
  const replied = textOf(value.inReplyTo);
  if (about === 'context' && !isAddress(textOf(part(value, 'context').id)))
    yield `\`context.id\` is not a URI: ${name} has to say which item it is about`;
  if ((about === 'answer' || about === 'complaint') && !isAddress(replied))
    yield `\`inReplyTo\` is not a URI: ${name} answers another notification`;
  if (about === 'answer' && isAddress(replied) && textOf(part(value, 'object').id) !== replied)
    yield `\`object.id\` is not the one of \`inReplyTo\`: ${name} has the notification that it answers as its object`;
  if (about === 'complaint' && textOf(value.summary) === undefined)
    yield `\`summary\` is missing: ${name} says what is wrong`;
  if (name !== 'announce-relationship') return;
  for (const key of ['subject', 'relationship', 'object'])
    if (!isAddress(related(value, key))) yield `\`object.as:${key}\` is not a URI`;
}

function related(value: JsonObject, key: string): string | undefined {
  const object = part(value, 'object');
  return textOf(object[`as:${key}`] ?? object[key]);
}

function* namesIn(value: JsonObject, { name, about }: Pattern): Generator<string> {
  if (about !== 'context' && about !== 'object') return;
  const { id, 'ietf:cite-as': citeAs } = part(value, about);
  const isRelation = name === 'announce-relationship';
  const both = isRelation ? [related(value, 'subject'), related(value, 'object')] : [];
  for (const text of [textOf(id), textOf(citeAs), ...both]) if (text !== undefined) yield text;
}

function isAddress(text: string | undefined): text is string {
  return (
    text !== undefined && text.length <= longestAddress && /^[a-z][a-z0-9+.-]*:[^\s\p{C}]+$/iu.test(text)
  );
}

function isWeb(text: string | undefined): text is string {
  return isAddress(text) && /^https?:/i.test(text) && URL.canParse(text);
}

/** With or without a slash at its end, by whichever scheme a proxy is reached. */
function isSameInbox(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => {
    const { host, pathname } = new URL(text);
    return `${host}${pathname.replace(/\/+$/, '')}`;
  });
  return one === other;
}
