/** What kind of thing it is, as stated; the prefix of a vocabulary is left out, and an address is no word. */
export function typeName(stated: string | undefined): string | undefined {
  if (stated === undefined || /^https?:/i.test(stated)) return undefined;
  const [, term] = /^info:eu-repo\/semantics\/(\w+)$/i.exec(stated) ?? [];
  if (term === undefined) return stated;
  // Of these the vocabulary says in which state the text is, not what it is.
  if (/version$/i.test(term)) return undefined;
  return term.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

export type SchemaType =
  | 'ScholarlyArticle'
  | 'Thesis'
  | 'Dataset'
  | 'Book'
  | 'Chapter'
  | 'Report'
  | 'CreativeWork';

const kinds: readonly (readonly [RegExp, SchemaType])[] = [
  [/thes[ei]s|dissertation|学位論文/i, 'Thesis'],
  [/data ?set|データセット/i, 'Dataset'],
  [/chapter|book part/i, 'Chapter'],
  [/\bbook\b|monograph|図書/i, 'Book'],
  [/article|paper|preprint|論文/i, 'ScholarlyArticle'],
  [/report|報告書/i, 'Report'],
];

/** The class of schema.org. */
export function schemaType(type: string | undefined): SchemaType {
  return kinds.find(([pattern]) => pattern.test(type ?? ''))?.[1] ?? 'CreativeWork';
}
