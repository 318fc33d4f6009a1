/** What the Sitemap protocol and ResourceSync say of every document: its namespaces, and how much it holds. */
export const sitemapNamespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';
export const rsNamespace = 'http://www.openarchives.org/rs/terms/';

/** How much one document holds at most. */
export interface Limits {
  readonly entries: number;
  /** Uncompressed, head and tail included. */
  readonly bytes: number;
}

/** The Sitemap protocol's own, which ResourceSync adopts (RS-GEN-17). */
export const sitemapLimits: Limits = { entries: 50_000, bytes: 52_428_800 };
