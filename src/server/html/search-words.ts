/** The words of search, in one place. */
export const searchWords = {
  title: 'Search',
  button: 'Search',
  query: 'Words of title, creator or identifier',
  source: 'Source',
  anySource: 'all sources',
  collection: 'Collection',
  year: 'Year',
  since: 'Changed since',
  metadata: 'Metadata format',
  newest: 'Newest items',
  found: 'Found, newest first',
  next: 'Next',
  inCollection: 'Search in this collection',
  inSource: 'All its items, newest first',
  nothing:
    'Nothing was found. All words have to be in the title, the names of the creators or the identifier; fewer words find more.',
  nothingYet: 'Nothing is published yet.',
  indexing: (percent: number) =>
    `The index is being made, ${percent} % are done: some items are not found yet.`,
  tooMany: (most: number) => `A search has at most ${most} words.`,
  unknownSource: 'There is no source of this name that can be searched.',
  unknownCollection: 'There is no such collection.',
  collectionOf: 'A collection is searched together with its source: give both.',
  badDate: 'Give the time as 2026-11-21 or 2026-11-21T12:00:00Z.',
  changed: 'changed',
} as const satisfies Record<string, string | ((number: number) => string)>;
