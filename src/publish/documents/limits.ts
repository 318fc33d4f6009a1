/** How much one document holds at most. */
export interface Limits {
  readonly entries: number;
  /** Uncompressed, head and tail included. */
  readonly bytes: number;
}

/** The Sitemap protocol's own, which ResourceSync adopts (RS-GEN-17). */
export const sitemapLimits: Limits = { entries: 50_000, bytes: 52_428_800 };
