import type { ReadPolicy } from '../model.ts';
import { allows, mayRead } from '../viewer.ts';
import type { Face, Look, Resource } from './rest-json.ts';

/** A page of a list as DSpace's converter leaves it: without the rows that the viewer may not read. */
export interface ShownPage {
  readonly rows: readonly (Resource | null)[];
  readonly totalElements: number;
}

/**
 * DSpace counts and cuts a list, and then takes out of the page what the viewer may not read
 * (`ConverterService.toRestPage`). Spring's `PageImpl` corrects the total by what is left, on a last page that is not
 * empty: so a list of which nothing is shown keeps its count.
 */
export function shownPage(
  face: Face,
  rows: readonly Resource[],
  { number, size }: Page,
  look: Look,
): ShownPage {
  const { listTotals, emptyPlaces } = face.switches;
  const offset = number * size;
  const cut = rows.slice(offset, offset + size);
  const shown = cut.filter((row) => isShown(face, row, look));
  const isCorrected = listTotals === 'spring' && shown.length > 0 && offset + size > rows.length;
  return {
    rows: emptyPlaces ? cut.map((row) => (shown.includes(row) ? row : null)) : shown,
    totalElements: isCorrected ? offset + shown.length : rows.length,
  };
}

export function isShown({ repository, switches }: Face, resource: Resource, look: Look): boolean {
  const may = (policy: ReadPolicy = 'anonymous') => allows(policy, look.viewer, repository.now());
  switch (resource.type) {
    case 'item':
      return mayRead(resource.item, look.viewer, repository.now());
    case 'version':
      return mayRead(resource.version.item, look.viewer, repository.now());
    case 'bundle':
      return may(resource.bundle.read);
    case 'bitstream':
      return !switches.hidesClosedFiles || may(resource.bitstream.read);
    case 'collection':
      return may(resource.collection.read);
    case 'community':
      return may(resource.community.read);
    default:
      return true;
  }
}

export interface Page {
  readonly number: number;
  readonly size: number;
}
