import { type Link, patchRelation, type Representation } from '../../core/resource.ts';
import { hasSecret } from '../../core/secrets.ts';

/** How representations lie in the tables `resource`, `change` and `version`. */
export interface RepresentationRow {
  readonly media_type: string | null;
  readonly length: number | null;
  readonly hash: string | null;
}

export function toRepresentation(row: RepresentationRow): Representation {
  return {
    mediaType: row.media_type ?? undefined,
    length: row.length ?? undefined,
    hash: row.hash ?? undefined,
  };
}

/** Links are one JSON text per resource: they are compared and rendered as a whole, never searched. */
export function parseLinks(json: string): readonly Link[] {
  if (json === '[]') return [];
  const links = JSON.parse(json) as Link[];
  // Stored before it was known to be one.
  return hasSecret(json) ? links.filter(({ rel, href }) => rel !== 'via' || !hasSecret(href)) : links;
}

/** Of links as they are stored: those to patches, which are of one change and are never kept as a form. */
export function patchesIn(links: string): readonly Link[] {
  return links.includes(patchRelation) ? parseLinks(links).filter(({ rel }) => rel === patchRelation) : [];
}

export function serializeLinks(links: readonly Link[]): string {
  return links.length === 0 ? '[]' : JSON.stringify(links);
}
