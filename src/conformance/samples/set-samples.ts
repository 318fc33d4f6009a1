import { patchRelation } from '../../core/resource.ts';
import { type DocumentEntry, noAttributes } from '../../resourcesync/documents/document-model.ts';
import type { OpenedDocument } from '../survey/source-check.ts';
import { linkOf } from './memento-check.ts';
import { Sample } from './sample.ts';

/** For each set, some of its resources and some of what was deleted from it, spread over all of its lists. */
export class SetSamples {
  readonly resources = new Map<string, Sample>();
  readonly deletions = new Map<string, Sample>();
  /** Changes with a patch: what is whole has to stay (RS-LN-14). */
  readonly patches = new Map<string, Sample>();
  /** Changes with a memento: it stays, whatever came later (RS-LN-19). */
  readonly mementos = new Map<string, Sample>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  /** @returns what takes the entries of the document, if any of them may be taken */
  observe({ kind, set, archived }: OpenedDocument): ((entry: DocumentEntry) => void) | undefined {
    if (this.#size === 0 || archived || set === undefined) return undefined;
    if (kind === 'RL') {
      const sample = this.#of(this.resources, set);
      return (entry) => sample.offer(entry);
    }
    if (kind !== 'CL') return undefined;
    const deletions = this.#of(this.deletions, set);
    const patches = this.#of(this.patches, set);
    const mementos = this.#of(this.mementos, set);
    return (entry) => {
      if ((entry.md[0] ?? noAttributes).get('change') === 'deleted') deletions.offer(entry);
      else if (linkOf(entry, patchRelation)) patches.offer(entry);
      if (linkOf(entry, 'memento')) mementos.offer(entry);
    };
  }

  #of(samples: Map<string, Sample>, set: string): Sample {
    const sample = samples.get(set) ?? new Sample(this.#size);
    samples.set(set, sample);
    return sample;
  }
}
