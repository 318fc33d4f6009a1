import { SaxesParser } from 'saxes';
import { type Namespaces, wellKnownPrefixes, xsiNamespace } from './namespaces.ts';
import { withNamespaces } from './payload.ts';

const unknown = 'urn:undeclared:';

/**
 * What the record's own `xsi:schemaLocation` says of the prefixes that nobody declares: those whose usual meaning it
 * names; or the only one, where it names one namespace that no prefix stands for. Whatever could mean two things is left.
 * @param outer declared around the record
 * @param before declared earlier in the list
 */
export function statedNamespaces(
  record: string,
  outer: Namespaces,
  before: (prefix: string) => string | undefined,
): ReadonlyMap<string, string> {
  const found = readDeclarations(record, outer, before);
  const stated = new Map<string, string>();
  if (found === undefined) return stated;
  const { undeclared, declared, locations } = found;
  const unused = [...locations].filter((uri) => !declared.has(uri));
  for (const prefix of undeclared) {
    const usual = wellKnownPrefixes.get(prefix);
    const [only, ...others] = unused;
    if (usual !== undefined && locations.has(usual)) stated.set(prefix, usual);
    else if (undeclared.size === 1 && only !== undefined && others.length === 0 && !isOf(only, prefix))
      stated.set(prefix, only);
  }
  return stated;
}

/** Whether the namespace is what another prefix usually means, and this prefix usually means another one. */
function isOf(uri: string, prefix: string): boolean {
  const isUsual = [...wellKnownPrefixes].some(([other, meaning]) => meaning === uri && other !== prefix);
  return isUsual && wellKnownPrefixes.has(prefix);
}

interface Declarations {
  readonly undeclared: Set<string>;
  /** Namespaces that some prefix, or the default, stands for. */
  readonly declared: Set<string>;
  /** Namespaces that `xsi:schemaLocation` names. */
  readonly locations: Set<string>;
}

/** Undefined: the record is not well-formed otherwise. */
function readDeclarations(
  record: string,
  outer: Namespaces,
  before: (prefix: string) => string | undefined,
): Declarations | undefined {
  const undeclared = new Set<string>();
  const declared = new Set(Object.values(outer));
  const locations = new Set<string>();
  const resolvePrefix = (prefix: string) => {
    const uri = before(prefix);
    if (uri === undefined) undeclared.add(prefix);
    else declared.add(uri);
    return uri ?? unknown + prefix;
  };
  const parser = new SaxesParser({ xmlns: true, resolvePrefix } as const);
  parser.on('opentag', ({ ns, attributes }) => {
    for (const prefix in ns) if (ns[prefix]) declared.add(ns[prefix]);
    for (const name in attributes) {
      const { local, uri, value } = attributes[name] ?? {};
      if (local !== 'schemaLocation' || uri !== xsiNamespace || value === undefined) continue;
      const words = value.trim().split(/\s+/);
      // Pairs; of anything else nobody knows which is which.
      if (words.length % 2 === 0) {
        for (let at = 0; at < words.length; at += 2) locations.add(words[at] ?? '');
      }
    }
  });
  const scope = new Map(Object.entries(outer).filter(([prefix]) => prefix !== 'xml' && prefix !== 'xmlns'));
  try {
    parser.write(`${withNamespaces('<list>', 'list', scope)}${record}</list>`).close();
  } catch {
    return undefined;
  }
  return { undeclared, declared, locations };
}
