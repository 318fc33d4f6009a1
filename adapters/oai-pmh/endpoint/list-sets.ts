import type { Collection } from '../../../src/core/adapter.ts';
import { refusal } from '../../../src/core/errors.ts';
import {
  child,
  children,
  childText,
  nodeText,
  type SmallDocument,
  type XmlNode,
} from '../wire/small-document.ts';
import type { Endpoint } from './endpoint.ts';
import { hasError, toBridgeError } from './oai-errors.ts';

/** Pages in a row without a set that is new: a list that is shuffled for every page repeats itself, too (quirk 21). */
const maximumRepeats = 10;

/** Every set, in the order of the repository, each once. */
export async function* listSets(endpoint: Endpoint, signal: AbortSignal): AsyncGenerator<Collection> {
  const seen = new Set<string>();
  const tokens = new Set<string>();
  let token: string | undefined;
  let repeats = 0;
  do {
    const before = seen.size;
    const document = await endpoint.readSmall('ListSets', { resumptionToken: token }, signal);
    if (document.errors.length > 0) {
      // Repositories without sets say so in several ways (quirk 65).
      if (
        token === undefined &&
        ['noSetHierarchy', 'badVerb'].some((code) => hasError(document.errors, code))
      )
        return;
      throw toBridgeError(document.errors);
    }
    for (const set of children(child(document.root, 'listsets'), 'set')) {
      const spec = childText(set, 'setspec');
      if (spec === undefined || seen.has(spec)) continue;
      seen.add(spec);
      yield { spec, name: childText(set, 'setname') ?? spec, ...description(set) };
    }
    token = tokenOf(document);
    repeats = seen.size === before ? repeats + 1 : 0;
    if (token !== undefined && (tokens.has(token) || repeats >= maximumRepeats)) {
      throw refusal('oai-token-loop', 'sets-repeat', { url: endpoint.url });
    }
    if (token !== undefined) tokens.add(token);
  } while (token !== undefined);
}

function tokenOf(document: SmallDocument): string | undefined {
  return childText(child(document.root, 'listsets'), 'resumptiontoken');
}

/** The first text inside setDescription, whatever the container is called. */
function description(set: XmlNode): { description?: string } {
  const container = child(set, 'setdescription');
  const text = container === undefined ? undefined : firstText(container, 0);
  return text === undefined ? {} : { description: text };
}

function firstText(node: XmlNode, depth: number): string | undefined {
  const own = nodeText(node);
  if (own !== '' || depth > 4) return own || undefined;
  for (const name of Object.keys(node)) {
    if (name.startsWith('@') || name === '#text') continue;
    for (const inner of children(node, name)) {
      const text = firstText(inner, depth + 1);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}
