import { csvList } from './csv-list.ts';
import { friendsList } from './friends-list.ts';
import { jsonList } from './json-list.ts';
import { listText } from './list-text.ts';
import type { SourceList } from './listed-source.ts';

/**
 * The repositories that a file lists: CSV, JSON, or XML of base URLs, told by how it begins. What cannot be read of it is
 * among its problems; addresses that are there twice are named once.
 * @throws BridgeError `usage` where nothing of it can be read
 */
export function readSourceList(bytes: Uint8Array): SourceList {
  const text = listText(bytes);
  const list = readBy(text);
  const seen = new Map<string, string>();
  const problems = [...list.problems];
  const sources = list.sources.filter(({ url, place }) => {
    const before = seen.get(url);
    if (before === undefined) seen.set(url, place);
    else problems.push({ place, message: `${url} is at ${before} already` });
    return before === undefined;
  });
  return { ...list, sources, problems };
}

function readBy(text: string): SourceList {
  switch (text.trimStart()[0]) {
    case '<':
      return friendsList(text);
    case '{':
    case '[':
      return jsonList(text);
    default:
      return csvList(text);
  }
}
