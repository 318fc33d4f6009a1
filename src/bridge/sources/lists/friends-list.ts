import { SaxesParser } from 'saxes';
import { BridgeError } from '../../../core/errors.ts';
import { listedEntry } from './listed-entry.ts';
import type { SourceList } from './listed-source.ts';
import { partList } from './part-list.ts';

/**
 * The `BaseURLs` of the Open Archives registry (ListFriends), or the `friends` that a repository names: any element
 * `baseURL` has the address of one.
 * @throws BridgeError `usage` with the line that cannot be read
 */
export function friendsList(text: string): SourceList {
  const entries: { place: string; url: string }[] = [];
  const parser = new SaxesParser();
  let open: { place: string; url: string } | undefined;
  parser.on('opentag', ({ name }) => {
    if (/^(?:[^:]*:)?baseurl$/i.test(name)) open = { place: `line ${parser.line}`, url: '' };
  });
  const add = (part: string) => {
    if (open) open.url += part;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => {
    if (open) entries.push(open);
    open = undefined;
  });
  parser.on('error', (cause) => {
    throw new BridgeError('usage', `the XML cannot be read at line ${parser.line}: ${cause.message}`, {
      cause,
    });
  });
  parser.write(text).close();
  if (entries.length === 0)
    throw new BridgeError(
      'usage',
      'there is no <baseURL> in this XML; write <BaseURLs><baseURL>…</baseURL>…',
    );
  return {
    kind: 'XML of base URLs',
    ...partList(entries.map(({ place, url }) => listedEntry({ place, values: { url: url.trim() } }))),
    unused: [],
  };
}
