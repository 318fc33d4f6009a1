import type { Link, Representation } from '../core/resource.ts';

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
  return json === '[]' ? [] : (JSON.parse(json) as Link[]);
}

export function serializeLinks(links: readonly Link[]): string {
  return links.length === 0 ? '[]' : JSON.stringify(links);
}
