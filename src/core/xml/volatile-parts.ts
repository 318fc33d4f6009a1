import { SaxesParser } from 'saxes';
import { textValue } from './xml-tree.ts';

/**
 * What servers write anew each time a record is asked for: it says when that was, and nothing of the record. It is left
 * out where a payload is compared with the one before, and of nothing else (docs/what-repositories-do.md lists it).
 */
interface VolatilePart {
  /** Of all elements on the way. */
  readonly namespaces: readonly string[];
  /** Local names from the root on. */
  readonly path: readonly string[];
  readonly attribute: string;
  /** Another attribute that is volatile, too, where it has the same value. */
  readonly companion?: string;
}

const parts: readonly VolatilePart[] = [
  {
    // DSpace since 5 (`current-date()` in mets.xsl), EPrints (Export::METS); SIstory dates both alike.
    namespaces: ['http://www.loc.gov/METS/', 'http://www.loc.gov/METS/v2'],
    path: ['mets', 'metsHdr'],
    attribute: 'CREATEDATE',
    companion: 'LASTMODDATE',
  },
];

/** Cheap, and true for every payload that has such a part, and for few others. */
export function mayBeVolatile(content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return parts.some(({ attribute }) => bytes.includes(attribute));
}

/** Whether two payloads differ in nothing but what their server wrote anew, octet by octet. */
export function isSameButVolatile(before: Uint8Array, after: Uint8Array): boolean {
  const [old, now] = [withoutVolatile(before), withoutVolatile(after)];
  return old !== undefined && old === now;
}

/** The text without the values of volatile parts; undefined: it has none, or is not XML in UTF-8. */
function withoutVolatile(bytes: Uint8Array): string | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  const found = findTag(text);
  if (found === undefined) return undefined;
  const { part, start, end } = found;
  return text.slice(0, start) + withoutValues(text.slice(start, end), part) + text.slice(end);
}

interface FoundTag {
  readonly part: VolatilePart;
  readonly start: number;
  readonly end: number;
}

class Enough extends Error {}

/** The first tag that a part is in; what comes behind it is not read. */
function findTag(text: string): FoundTag | undefined {
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  let candidates = parts;
  let found: FoundTag | undefined;
  parser.on('opentag', ({ uri, local, attributes }) => {
    depth += 1;
    const isOn = ({ namespaces, path }: VolatilePart) =>
      path[depth - 1] === local && namespaces.includes(uri);
    // Whose root is another has none.
    if (depth === 1) candidates = candidates.filter(isOn);
    if (candidates.length === 0) throw new Enough();
    const part = candidates.find((one) => one.path.length === depth && isOn(one));
    if (part === undefined || attributes[part.attribute] === undefined) return;
    const end = parser.position;
    found = { part, start: text.lastIndexOf('<', end - 1), end };
    throw new Enough();
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  try {
    parser.write(text).close();
  } catch {
    // Enough, or not well-formed behind it: what is compared is text.
  }
  return found;
}

const attributeForm = /(\s)([^\s=]+)(\s*=\s*)(?:"([^"]*)"|'([^']*)')/g;

/** The part is in the tag. */
function withoutValues(tag: string, { attribute, companion }: VolatilePart): string {
  const values = new Map(
    Array.from(tag.matchAll(attributeForm), ([, , name = '', , double, single = '']) => [
      name,
      textValue(double ?? single),
    ]),
  );
  const value = values.get(attribute);
  const isVolatile = (name: string) =>
    name === attribute || (name === companion && values.get(name) === value);
  return tag.replace(attributeForm, (whole, space: string, name: string) =>
    isVolatile(name) ? `${space}${name}` : whole,
  );
}
