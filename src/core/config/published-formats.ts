import type { SourceConfig } from './config.ts';

type Configured = Pick<SourceConfig, 'adapter' | 'formats'>;

/** What a DSpace's items are published as, unless something else is configured (reference: DSpace, metadata). */
const dspaceFormats = ['oai_dc', 'dim', 'qdc', 'json'] as const;

/** Where formats come from OAI-PMH, this one tells what the repository itself has: the anchor of each item. */
const anchor = 'json';

export function isDspace({ adapter }: Pick<SourceConfig, 'adapter'>): boolean {
  return adapter === 'dspace' || adapter === 'dspace-legacy';
}

/** Formats that the source's own adapter delivers, in order; undefined: every one that is known. */
export function ownFormats(source: Configured): readonly string[] | undefined {
  const { formats } = source;
  const own = Array.isArray(formats) ? formats.filter((format) => typeof format === 'string') : undefined;
  if (!isDspace(source)) return own;
  if (formats === undefined) return dspaceFormats;
  return own === undefined || own.length === 0 ? [anchor] : own;
}

/** Formats that a DSpace's OAI-PMH endpoint delivers instead; `known`: every one that is; undefined: none. */
export function oaiFormats(source: Configured): readonly string[] | 'known' | undefined {
  const { formats } = source;
  if (!isDspace(source) || formats === undefined) return undefined;
  if (!Array.isArray(formats)) return formats.names ?? 'known';
  const names = formats.flatMap((format) => (typeof format === 'string' ? [] : [format.name]));
  return names.length > 0 ? names : undefined;
}

/** All of them; undefined where that is for the upstream to say. */
export function publishedFormats(source: Configured): readonly string[] | undefined {
  const own = ownFormats(source);
  const more = oaiFormats(source);
  if (own === undefined || more === 'known') return undefined;
  return more === undefined ? own : [...own, ...more.filter((name) => !own.includes(name))];
}
