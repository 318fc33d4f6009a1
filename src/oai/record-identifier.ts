import { isIdentifier } from './protocol.ts';

/**
 * The OAI identifier of an item: as its repository has it, because we speak for the same repository. What is no URI there
 * becomes one (`oai:<namespace>:<percent-encoded>`).
 */
export function toOaiIdentifier(identifier: string, namespace: string): string {
  return isIdentifier(identifier)
    ? identifier
    : `oai:${namespace}:${encodeURIComponent(identifier.replace(/\p{Surrogate}/gu, '\u{fffd}'))}`;
}

/** What an item may be called that is asked for by this identifier, the likeliest first. */
export function fromOaiIdentifier(asked: string, namespace: string): readonly string[] {
  const prefix = `oai:${namespace}:`;
  const encoded = asked.startsWith(prefix) ? decoded(asked.slice(prefix.length)) : undefined;
  return [asked, ...(encoded === undefined || isIdentifier(encoded) ? [] : [encoded])];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
