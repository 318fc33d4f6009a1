import { createHash } from 'node:crypto';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { hrefs, type Placed } from './role.ts';

/** What profiles are called as formats, as repositories call them in OAI-PMH. */
const usual: Readonly<Record<string, string>> = {
  'http://www.openarchives.org/OAI/2.0/oai_dc/': 'oai_dc',
  'http://purl.org/dc/terms/': 'qdc',
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://www.loc.gov/mods/v3': 'mods',
  'http://www.loc.gov/METS/': 'mets',
  'http://www.loc.gov/MARC21/slim': 'marcxml',
  'http://datacite.org/schema/kernel-3': 'datacite',
  'http://datacite.org/schema/kernel-4': 'datacite',
  'http://namespace.openaire.eu/schema/oaire/': 'oai_openaire',
  'http://ju.nii.ac.jp/junii2': 'junii2',
  'http://irdb.nii.ac.jp/oai': 'junii2',
  'http://www.rioxx.net/schema/v3.0/rioxx/': 'rioxx',
  'http://www.lyncode.com/xoai': 'xoai',
  'http://www.dspace.org/xmlns/dspace/dim': 'dim',
  'http://www.openarchives.org/ore/atom/': 'ore',
  'http://www.tei-c.org/ns/1.0': 'tei',
  'http://schema.org': 'schema_org',
};

/** What the format is called here: as in the address of a bridge, by its profile, or by its type. */
export function formatName(statement: Statement, { house }: Placed): string {
  if (house?.part.kind === 'metadata') return house.part.format;
  const [profile] = hrefs(statement, 'profile');
  if (profile !== undefined) return usual[profile] ?? usual[`${profile}/`] ?? nameOfProfile(profile);
  const subtype = statement.type?.replace(/^.*\//, '');
  return subtype === undefined ? 'xml' : subtype.replace(/^.*\+/, '').replace(/[^a-z0-9_.-]+/g, '_') || 'xml';
}

/** The same of a document that says nothing but what it is itself: by the namespace of its root. */
export function formatOfContent(content: Uint8Array, type: string): string {
  if (/json$/.test(type)) return 'json';
  const beginning = Buffer.from(content.subarray(0, 4096)).toString('utf8');
  const [, prefix, attributes = ''] =
    /<([\w-]+:)?[\w.-]+((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/.exec(beginning) ?? [];
  const name = prefix === undefined ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`;
  const namespace = new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']([^"']*)`).exec(attributes)?.[1];
  if (namespace === undefined) return 'xml';
  return usual[namespace] ?? usual[`${namespace}/`] ?? nameOfProfile(namespace);
}

/** What a format is usually described by; undefined: it is not known here. */
export function usualProfile(format: string): string | undefined {
  return Object.entries(usual).find(([, name]) => name === format)?.[0];
}

/** `https://github.com/JPCOAR/schema/blob/master/2.0/` → `jpcoar_schema_blob_master_2.0`. */
function nameOfProfile(profile: string): string {
  if (/jpcoar/i.test(profile)) return `jpcoar_${/(\d+\.\d+)/.exec(profile)?.[1] ?? '1.0'}`;
  const words = profile
    .replace(/^[a-z]+:(?:\/\/[^/]*)?/i, '')
    .replace(/[^A-Za-z0-9.]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
  return (words || 'profile').slice(-60).replace(/^[_.]+/, '');
}

/** For the second of two documents of an item that would be called the same. */
export function otherName(format: string, loc: string): string {
  return `${format}-${createHash('sha256').update(loc).digest('hex').slice(0, 8)}`;
}
