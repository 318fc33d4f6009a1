/**
 * An item as every DSpace has it, whichever of its interfaces told us: what metadata documents are made from.
 */
export interface DspaceItem {
  /** Of DSpace 6 and later; DSpace 5 counts: `12`. */
  readonly id: string;
  readonly handle: string | undefined;
  readonly name: string | undefined;
  /** `Publication`, `Person`, …; undefined where there are no entities. */
  readonly entityType: string | undefined;
  /** ISO UTC. */
  readonly lastModified: string | undefined;
  /** By field name, then place: the order is part of what is published. */
  readonly metadata: readonly MetadataValue[];
  /** Those of the published bundles, in the order of the repository. */
  readonly bitstreams: readonly Bitstream[];
  /** The owning one first. */
  readonly collections: readonly OwningCollection[];
}

/** One value of a field. */
export interface MetadataValue {
  readonly schema: string;
  readonly element: string;
  readonly qualifier: string | undefined;
  /** Verbatim; may hold anything. */
  readonly value: string;
  /** `en`, `en_US`, …; undefined where it is empty upstream. */
  readonly language: string | undefined;
  readonly authority: string | undefined;
  /** 0 to 600; undefined for -1 and wherever there is no authority. */
  readonly confidence: number | undefined;
}

export interface Bitstream {
  readonly id: string;
  readonly name: string;
  readonly bundleName: string;
  readonly description: string | undefined;
  /** Octets. */
  readonly sizeBytes: number | undefined;
  readonly checkSum: { readonly algorithm: string; readonly value: string } | undefined;
  /** `type/subtype`, as stated. */
  readonly mimeType: string | undefined;
  /** As its registry of formats has it (`text/plain; charset=utf-8`), where that is known and not the same. */
  readonly format?: string | undefined;
  /** The repository's number of it within the item; undefined where it has none (-1). */
  readonly sequenceId: number | undefined;
}

export interface OwningCollection {
  readonly id: string;
  readonly handle: string | undefined;
  readonly name: string | undefined;
}
