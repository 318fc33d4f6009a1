import type { Requested } from './commands.ts';

/** Entries of one Resource List: of more there is an index. */
const listed = 50_000;

/** Where the record of this number is. */
export function pathOf(number: number): string {
  return `bench/items/oai:bench.example.org:${number}/oai_dc.xml`;
}

/** One request of each kind, in a repository of so many records. */
export function requestsOf(size: number, origin: string): readonly Requested[] {
  const middle = pathOf(size >> 1);
  const html = { accept: 'text/html' };
  const collection = '/bench/collections/type:3';
  const [changeList, index] = ['/bench/changelist.xml', '/bench/resourcelist.xml'];
  return [
    { what: 'a resource', path: `/${middle}` },
    { what: 'a file', path: `/${middle.replace('/oai_dc.xml', '')}/files/1-article.pdf` },
    { what: 'the page of an item', path: `/${middle.replace('/oai_dc.xml', '')}`, headers: html },
    { what: 'the page of a collection', path: collection, headers: html },
    {
      what: 'the page of a collection, in its middle',
      path: `${collection}?after=${encodeURIComponent(middle)}`,
      headers: html,
    },
    { what: 'the page of a source', path: '/bench/about', headers: html },
    { what: 'the home page', path: '/', headers: html },
    { what: '/about', path: '/about', headers: html },
    { what: '/metrics', path: '/metrics' },
    { what: 'the Source Description', path: '/.well-known/resourcesync' },
    { what: 'a Capability List', path: '/bench/capabilitylist.xml' },
    { what: 'a Change List', path: changeList },
    { what: 'the Change List Index', path: '/bench/changelist-index.xml' },
    ...(size > listed
      ? [
          { what: 'the Resource List Index', path: index },
          {
            what: 'a part of the Resource List',
            path: index,
            follow: /<loc>([^<]*\/resourcelist\/[^<]*)</,
            isLong: true,
          },
        ]
      : []),
    { what: 'a patch', path: changeList, follow: /href="([^"]*\/patches\/[^"]*)"/ },
    { what: 'a link set', path: `/${middle.replace('/oai_dc.xml', '/linkset.json')}` },
    { what: 'a TimeGate', path: `/timegate/${origin}/${middle}` },
    { what: 'a TimeMap', path: `/timemap/link/${origin}/${middle}` },
  ];
}
