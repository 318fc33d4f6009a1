import { isObject } from '../../../core/config/schema-faults.ts';
import { groupSchema } from '../../../core/config/source-groups.ts';
import { sourceSchema } from '../../../core/config/source-schema.ts';

/** What others call what a source has, reduced to letters; the first that has a value is taken. */
const otherNames = {
  url: [
    ...['url', 'baseurl', 'oaiurl', 'oaibaseurl', 'oaipmhurl', 'oaipmhbaseurl', 'oaipmh', 'oai', 'endpoint'],
    ...['ベースurl', 'oaipmhベースurl', 'address', 'homepage', 'repositoryurl', 'link'],
  ],
  name: ['name', 'source', 'slug'],
  title: [
    'title',
    'repositoryname',
    'repository',
    'リポジトリ名',
    'institution',
    'organisation',
    'organization',
    '機関名',
  ],
} as const;

type Meaning = keyof typeof otherNames;

/** What a column or key says of a source: a setting's path (`files.mode`), or nothing. */
export interface Column {
  readonly key: string;
  readonly path: readonly string[];
  /** A smaller number wins where two columns say the same. */
  readonly rank: number;
}

/** Settings that a list may have; secrets belong into the configuration. */
const settable = new Set(
  Object.keys(sourceSchema.properties).filter((key) => key !== 'headers' && key !== 'login'),
);

export function columnOf(key: string): Column | undefined {
  const path = key.trim().split('.');
  const [first = ''] = path;
  const plain = reduced(key);
  for (const meaning of Object.keys(otherNames) as Meaning[]) {
    const rank = (otherNames[meaning] as readonly string[]).indexOf(plain);
    if (rank >= 0) return { key, path: [meaning], rank };
  }
  return settable.has(first) ? { key, path, rank: 0 } : undefined;
}

function reduced(key: string): string {
  return key
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_.:/()-]+/g, '');
}

/** A value of a table's cell, as the setting has it: `oai_dc jpcoar` is a list where a list is due. */
export function cellValue(path: readonly string[], cell: string): unknown {
  let schema: unknown = groupSchema;
  for (const key of path) {
    const properties = isObject(schema) ? schema.properties : undefined;
    schema = isObject(properties) ? properties[key] : undefined;
  }
  if (takesList(schema)) return cell.split(/[\s,;|]+/).filter((part) => part !== '');
  if (cell.toLowerCase() === 'false') return false;
  if (cell.toLowerCase() === 'true') return true;
  return cell;
}

function takesList(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  return schema.type === 'array' || (Array.isArray(schema.anyOf) && schema.anyOf.some(takesList));
}
