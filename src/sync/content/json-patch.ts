export const jsonPatchType = 'application/json-patch+json';

type Json = unknown;

/** What a step of a pointer leads through. */
type Container = Record<string, Json> | Json[];

/**
 * Applies a JSON Patch (RFC 6902) to a JSON text.
 * @returns the texts that the result may have, for no standard says how it is written: one of them has the stated hash, or
 * the whole has to be fetched
 * @throws Error where it does not fit, or is none
 */
export function applyJsonPatch(base: Uint8Array, patch: Uint8Array): readonly Uint8Array[] {
  const text = Buffer.from(base).toString('utf8');
  const operations: Json = JSON.parse(Buffer.from(patch).toString('utf8'));
  if (!Array.isArray(operations)) throw new Error('it is no list of operations');
  let document: Json = JSON.parse(text);
  for (const operation of operations) document = applied(document, asOperation(operation));
  const [, indent = ''] = /^[[{]\r?\n([ \t]+)/.exec(text) ?? [];
  const end = /\n$/.test(text) ? '\n' : '';
  const written = [JSON.stringify(document, null, indent), JSON.stringify(document)];
  return [...new Set([...written.map((one) => one + end), ...written])].map((one) => Buffer.from(one));
}

interface Operation {
  readonly op: string;
  readonly path: readonly string[];
  readonly from: readonly string[];
  readonly value: Json;
}

function asOperation(given: Json): Operation {
  if (typeof given !== 'object' || given === null) throw new Error('an operation is no object');
  const { op, path, from, value } = given as Record<string, Json>;
  if (typeof op !== 'string') throw new Error('an operation says not what it does');
  if (!('value' in given) && ['add', 'replace', 'test'].includes(op)) throw new Error(`${op} has no value`);
  const needsFrom = op === 'move' || op === 'copy';
  return { op, path: pointerOf(path), from: needsFrom ? pointerOf(from) : [], value };
}

/** RFC 6901. */
function pointerOf(text: Json): readonly string[] {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/')))
    throw new Error(`${String(text)} is no pointer`);
  return text
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function applied(document: Json, { op, path, from, value }: Operation): Json {
  switch (op) {
    case 'add':
      return added(document, path, value);
    case 'remove':
      return removed(document, path);
    case 'replace':
      return path.length === 0 ? value : replaced(document, path, value);
    case 'copy':
      return added(document, path, structuredClone(at(document, from)));
    case 'move': {
      const isWithin = from.length < path.length && from.every((token, index) => token === path[index]);
      if (isWithin) throw new Error('a value cannot be moved into itself');
      const moved = at(document, from);
      return added(removed(document, from), path, moved);
    }
    case 'test':
      if (!isEqual(at(document, path), value)) throw new Error('the document is another one');
      return document;
    default:
      throw new Error(`${op} is no operation`);
  }
}

function added(document: Json, path: readonly string[], value: Json): Json {
  const [last] = path.slice(-1);
  if (last === undefined) return value;
  const parent = containerAt(document, path.slice(0, -1));
  if (Array.isArray(parent))
    parent.splice(last === '-' ? parent.length : indexOf(last, parent.length), 0, value);
  else set(parent, last, value);
  return document;
}

function removed(document: Json, path: readonly string[]): Json {
  const [last] = path.slice(-1);
  if (last === undefined) throw new Error('nothing would be left');
  at(document, path);
  const parent = containerAt(document, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(indexOf(last, parent.length - 1), 1);
  else delete parent[last];
  return document;
}

function replaced(document: Json, path: readonly string[], value: Json): Json {
  const [last = ''] = path.slice(-1);
  at(document, path);
  const parent = containerAt(document, path.slice(0, -1));
  if (Array.isArray(parent)) parent[indexOf(last, parent.length - 1)] = value;
  else set(parent, last, value);
  return document;
}

function at(document: Json, path: readonly string[]): Json {
  let value = document;
  for (const token of path) {
    const parent = containerOf(value);
    if (Array.isArray(parent)) value = parent[indexOf(token, parent.length - 1)];
    else if (Object.hasOwn(parent, token)) value = parent[token];
    else throw new Error(`there is no ${token}`);
  }
  return value;
}

function containerAt(document: Json, path: readonly string[]): Container {
  return containerOf(at(document, path));
}

function containerOf(value: Json): Container {
  if (typeof value !== 'object' || value === null) throw new Error('a pointer leads through a plain value');
  return value as Container;
}

function indexOf(token: string, highest: number): number {
  const index = /^(?:0|[1-9]\d{0,9})$/.test(token) ? Number(token) : Number.NaN;
  if (!(index <= highest)) throw new Error(`${token} is no place in the list`);
  return index;
}

/** A member called `__proto__` is a member as any other. */
function set(object: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function isEqual(a: Json, b: Json): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [own, other] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    own.length === other.size &&
    own.every(([name, value]) => other.has(name) && isEqual(value, other.get(name)))
  );
}
