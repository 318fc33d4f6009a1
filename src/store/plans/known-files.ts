import type { FileRules, SeenFile } from '../../core/files/published-files.ts';
import type { MetadataTarget } from '../../core/mapping/mapping.ts';
import type { ResourceChange } from './resource-changes.ts';

/**
 * Mode `link`: the address of a file is that of the upstream, so that a file which several items name is one
 * resource of its source all the same. One of them has it; the metadata of all describes it. What other sources have at
 * that address is theirs.
 */
export interface LinkedFiles {
  /** Whether an item has it already. */
  isTaken(url: string): boolean;
  /** Whether the operator has withdrawn it, in whatever source. */
  isWithdrawn(url: string): boolean;
  /** Living metadata of other items that name it. */
  describersOf(url: string, itemId: number | undefined): readonly MetadataTarget[];
  /** Planning goes item by item: what one of them gets is not there for the next. */
  take(changes: readonly ResourceChange[]): void;
}

export const noLinkedFiles: LinkedFiles = {
  isTaken: () => false,
  isWithdrawn: () => false,
  describersOf: () => [],
  take: () => undefined,
};

/** What the delivery of a record means for the files it states. */
export interface Redelivered {
  /** All of them, but those that were asked for because of it already: due at once, however lately they were asked. */
  readonly urls: readonly string[];
  /** Of these it says something else than before: what was seen of the former bytes is no reason to doubt it. */
  readonly restated: readonly string[];
  /** A mirror downloads these again: unless their servers say that they are the same, or in any case. */
  readonly ifChanged: readonly string[];
  readonly always: readonly string[];
}

/** The files of a source, as planning needs to know them. */
export interface FileContext extends LinkedFiles {
  readonly rules: FileRules;
  /** What is known of a URL. */
  seen(url: string): SeenFile | undefined;
  /** ISO UTC. */
  readonly now: string;
}
