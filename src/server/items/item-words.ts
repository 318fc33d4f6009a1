/** The words of what describes an item, in one place. */
export const itemWords = {
  identifier: 'Identifier',
  by: 'By',
  published: 'Published',
  kind: 'Kind',
  journal: 'In',
  publisher: 'Publisher',
  licence: 'Licence',
  cite: 'Cite as',
  abstract: 'Abstract',
  others: (more: string) => `and ${more} more`,
  volume: (volume: string, issue: string | undefined) =>
    issue === undefined ? volume : `${volume} (${issue})`,
  pages: (first: string, last: string | undefined) =>
    last === undefined ? `p. ${first}` : `pp. ${first}–${last}`,
} as const;
