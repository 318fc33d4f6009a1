import { TextTable } from '../../core/memory/text-table.ts';
import type { DocumentEntry } from '../../resourcesync/documents/document-model.ts';
import type { Report } from '../documents/finding.ts';

const relations = ['describedby', 'describes'] as const;
type Relation = (typeof relations)[number];

/** Pairs of resource and metadata record, as one of the two directions gives them. */
interface Direction {
  readonly pairs: TextTable;
  /** Where the link leads; by the position of the pair, its position in `targets` and the number of the entry. */
  readonly targets: TextTable;
  readonly targetOf: number[];
  readonly entryOf: number[];
}

/**
 * RS-LN-16: where a resource and its metadata are both in one list and both directions are in use, each leads to the
 * other. Links out of the list, or in a list where only one direction is used, say nothing.
 */
export class MetadataPairs {
  readonly #directions: Readonly<Record<Relation, Direction>> = { describedby: empty(), describes: empty() };

  add({ locs: [loc], links, number }: DocumentEntry): void {
    if (loc === undefined) return;
    for (const link of links) {
      const rel = link.get('rel');
      const href = link.get('href');
      if ((rel !== 'describedby' && rel !== 'describes') || href === undefined) continue;
      const { pairs, targets, targetOf, entryOf } = this.#directions[rel];
      const before = pairs.size;
      pairs.add(rel === 'describedby' ? `${loc} ${href}` : `${href} ${loc}`);
      if (pairs.size === before) continue;
      targetOf.push(targets.add(href));
      entryOf.push(number);
    }
  }

  /** @param locs of the whole list */
  check(locs: TextTable, report: Report): void {
    for (const rel of relations) {
      const { pairs, targets, targetOf, entryOf } = this.#directions[rel];
      const back = rel === 'describes' ? 'describedby' : 'describes';
      const other = this.#directions[back].pairs;
      if (other.size === 0) return;
      for (const [position, target] of targetOf.entries()) {
        if (other.findOf(pairs, position) !== -1 || locs.findOf(targets, target) === -1) continue;
        report('RS-LN-16', `entry ${entryOf[position]} has ${rel}, and its target has no ${back} back to it`);
      }
    }
  }
}

function empty(): Direction {
  return { pairs: new TextTable(), targets: new TextTable(), targetOf: [], entryOf: [] };
}
