import { parseHttpDate } from '../../core/datetime.ts';
import { readLinkValues } from '../../core/signposting/link-field.ts';

/** A state that a resource had, where it can be read. */
export interface ListedMemento {
  readonly uri: string;
  /** Since when it was so, ISO UTC. */
  readonly at: string;
}

export interface TimeMap {
  /** Oldest first. */
  readonly mementos: readonly ListedMemento[];
  /** More of it. */
  readonly pages: readonly string[];
}

const maximumLinks = 10_000;

/** A TimeMap as `application/link-format` (RFC 7089 §5), or a page of one. @param base what is relative is relative to it */
export function readTimeMap(text: string, base: string): TimeMap {
  const mementos: ListedMemento[] = [];
  const pages: string[] = [];
  for (const { target, parameters } of readLinkValues(text, maximumLinks)) {
    const relations = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/);
    const uri = URL.canParse(target, base) ? new URL(target, base).href : undefined;
    if (uri === undefined) continue;
    const at = parseHttpDate(parameters.get('datetime') ?? '');
    if (relations.includes('memento') && at !== undefined) mementos.push({ uri, at });
    if (relations.includes('timemap') && isLinkFormat(parameters.get('type'))) pages.push(uri);
  }
  return { mementos: mementos.sort((a, b) => Number(a.at > b.at) - Number(a.at < b.at)), pages };
}

function isLinkFormat(type: string | undefined): boolean {
  return type === undefined || /^application\/link-format\b/i.test(type);
}
