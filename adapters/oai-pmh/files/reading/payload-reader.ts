import { StringDecoder } from 'node:string_decoder';
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';

/** No format needs a tenth of it; deeper ones are made to hurt (a parser looks for prefixes in every open tag). */
const maximumDepth = 256;
/** Characters of one element's own text; longer ones are neither a URL nor a name. */
const maximumText = 16_384;
/** Octets that are decoded at a time: a payload of 50 MB never lies in memory as a string. */
const chunkSize = 262_144;

/** An open element of a payload; names are local, prefixes mean nothing. */
export class PayloadElement {
  readonly uri: string;
  readonly local: string;
  /** Undefined: it is the root. */
  readonly parent: PayloadElement | undefined;
  readonly depth: number;
  /** Its own text so far, without that of its children. */
  text = '';
  readonly #attributes: Readonly<Record<string, SaxesAttributeNS>>;

  constructor(tag: SaxesTagNS, parent: PayloadElement | undefined) {
    this.uri = tag.uri;
    this.local = tag.local;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.#attributes = tag.attributes;
  }

  /** The trimmed value of the first attribute with this local name, in whatever namespace. */
  attribute(local: string): string | undefined {
    for (const name in this.#attributes) {
      const attribute = this.#attributes[name];
      if (attribute?.local === local && attribute.prefix !== 'xmlns') return attribute.value.trim();
    }
    return undefined;
  }

  /** The nearest element around it that has this local name. */
  within(local: string): PayloadElement | undefined {
    let element = this.parent;
    while (element !== undefined && element.local !== local) element = element.parent;
    return element;
  }
}

/** What one format wants to know of a payload. */
export interface PayloadReader {
  open?(element: PayloadElement): void;
  /** @param text the element's own text, trimmed */
  close?(element: PayloadElement, text: string): void;
  /** Behind the root. */
  end?(): void;
}

class Stop extends Error {}

/**
 * Tells a reader of every element of a document in its order: prefixes, CDATA, comments and entities are resolved.
 * @returns false when the document is damaged or absurdly deep, and what was read of it means nothing
 */
export function readPayload(payload: Uint8Array | string, reader: PayloadReader): boolean {
  const saxes = new SaxesParser({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true } as const);
  let current: PayloadElement | undefined;
  let tags = 0;
  const onText = (text: string) => {
    if (current !== undefined && current.text.length < maximumText) current.text += text;
  };
  saxes.on('error', () => {
    throw new Stop();
  });
  saxes.on('opentag', (tag) => {
    current = new PayloadElement(tag, current);
    if (current.depth > maximumDepth) throw new Stop();
    tags += 1;
    saxes.on('text', onText);
    reader.open?.(current);
  });
  saxes.on('text', onText);
  saxes.on('cdata', onText);
  saxes.on('closetag', () => {
    if (current === undefined) return;
    const { parent } = current;
    tags += 1;
    saxes.on('text', onText);
    reader.close?.(current, current.text.trim());
    current = parent;
  });
  try {
    for (const text of decode(payload)) {
      const before = tags;
      saxes.write(text);
      if (tags === before) forgetText(saxes);
    }
    saxes.close();
  } catch (error) {
    if (error instanceof Stop) return false;
    throw error;
  }
  reader.end?.();
  return true;
}

/**
 * The parser gathers a text until the next tag, in a piece for every entity: 50 MB of `&amp;` would take 500 MB.
 * Text as long as a whole chunk is none that anybody wants.
 */
function forgetText(saxes: SaxesParser<{ readonly xmlns: true }>): void {
  saxes.off('text');
  (saxes as unknown as { text: string }).text = '';
}

function* decode(payload: Uint8Array | string): Generator<string> {
  if (typeof payload === 'string') {
    yield payload;
    return;
  }
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  if (bytes.length <= chunkSize) {
    yield bytes.toString('utf8');
    return;
  }
  const decoder = new StringDecoder('utf8');
  for (let start = 0; start < bytes.length; start += chunkSize) {
    yield decoder.write(bytes.subarray(start, start + chunkSize));
  }
  yield decoder.end();
}
