/** An entry of a list, as it is written. */
export interface Entry {
  readonly loc: string;
  readonly change?: string;
  readonly datetime?: string;
  readonly hash?: string;
  readonly path?: string;
  readonly length?: string;
  readonly type?: string;
  readonly lastmod?: string;
  readonly links: readonly Readonly<Record<string, string>>[];
}

export function entriesIn(text: string): readonly Entry[] {
  const entry = /<url><loc>([^<]*)<\/loc><lastmod>([^<]*)<\/lastmod><rs:md ([^>]*)\/>(.*)<\/url>/g;
  return [...text.matchAll(entry)].map(([, loc = '', lastmod = '', md = '', links = '']) => ({
    loc,
    lastmod,
    ...attributesIn(md),
    links: [...links.matchAll(/<rs:ln ([^>]*)\/>/g)].map(([, attributes = '']) => attributesIn(attributes)),
  }));
}

function attributesIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

export function locsIn(text: string): readonly string[] {
  return [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc = '']) => loc);
}
