import { type ContentNode, type ContentTree, collapse } from './content-node.ts';

const limits = { nodes: 100_000, depth: 256 };
const marks = ['uuid', 'id', '@id'] as const;

/** Values are JSON literals. @returns undefined for what is no JSON, or is too large to be compared */
export function readJsonContent(bytes: Uint8Array): ContentTree | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const root = new Reader().read('', '', value, 1);
    return root && { language: 'json', root, comments: [] };
  } catch {
    return undefined;
  }
}

class Reader {
  #nodes = 0;

  read(name: string, label: string, value: unknown, depth: number): ContentNode | undefined {
    this.#nodes += 1;
    if (this.#nodes > limits.nodes || depth > limits.depth) return undefined;
    const literal = () => JSON.stringify(value);
    const node = { label, attributes: [], children: [], space: '', summary: literal };
    if (typeof value !== 'object' || value === null) return { ...node, name, value: literal() };
    const members = Array.isArray(value)
      ? value.map((place: unknown) => ['', '', place] as const)
      : sorted(value).map(([key, member]) => [key, toLabel(key), member] as const);
    const children: ContentNode[] = [];
    for (const [key, shown, member] of members) {
      const child = this.read(key, shown, member, depth + 1);
      if (!child) return undefined;
      children.push(child);
    }
    // An array is never what an object was.
    const kind = Array.isArray(value) ? '[]' : '{}';
    return { ...node, name: `${name}${kind}`, children, mark: markOf(value) };
  }
}

/** The order of members means nothing. */
function sorted(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => Number(a > b) - Number(a < b));
}

function toLabel(key: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function markOf(value: object): string | undefined {
  const members = value as Readonly<Record<string, unknown>>;
  const found = marks.map((key) => members[key]).find((mark) => typeof mark === 'string');
  return found === undefined ? undefined : collapse(String(found));
}
