import { SaxesParser } from 'saxes';

/** An element as a description is read from it; prefixes mean nothing, and neither does text between elements. */
export interface Outline {
  readonly local: string;
  readonly namespace: string;
  /** By local name, trimmed. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Outline[];
  /** Its own. */
  text: string;
}

const deepest = 64;
const mostElements = 20_000;
const longestText = 40_000;

class Enough extends Error {}

/** A document's elements, as far as it goes well and within bounds; undefined where not even its root is there. */
export function outlineOf(content: Uint8Array): Outline | undefined {
  const saxes = new SaxesParser({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true } as const);
  const open: Outline[] = [];
  let root: Outline | undefined;
  let elements = 0;
  saxes.on('error', () => {
    throw new Enough();
  });
  saxes.on('opentag', ({ local, uri, attributes }) => {
    elements += 1;
    if (open.length >= deepest || elements > mostElements) throw new Enough();
    const element: Outline = {
      ...{ local, namespace: uri, children: [], text: '' },
      attributes: new Map(
        Object.values(attributes).flatMap((one) =>
          one.prefix === 'xmlns' ? [] : [[one.local, one.value.trim()] as const],
        ),
      ),
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  const take = (text: string) => {
    const element = open.at(-1);
    if (element && element.text.length < longestText) element.text += text.slice(0, longestText);
  };
  saxes.on('text', take);
  saxes.on('cdata', take);
  saxes.on('closetag', () => void open.pop());
  try {
    saxes.write(Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8')).close();
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return root;
}

/** Those with one of the names, right below it. */
export function below(element: Outline, ...names: readonly string[]): readonly Outline[] {
  return element.children.filter(({ local }) => names.includes(local));
}

/** The first of the kind: the root, or what is wrapped in it. */
export function firstNamed(root: Outline, name: string, depth = 3): Outline | undefined {
  if (root.local === name) return root;
  if (depth === 0) return undefined;
  for (const child of root.children) {
    const found = firstNamed(child, name, depth - 1);
    if (found) return found;
  }
  return undefined;
}

export function textOf(element: Outline | undefined): string {
  return element?.text ?? '';
}
