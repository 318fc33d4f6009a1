/** What a target asks for and an item does not have, or has in a form that the target refuses. */
export interface CrosswalkFinding {
  /**
   * `missing`: nothing is written, because nothing is stated; `dropped`: a stated value is left out, because the target
   * refuses it; `replaced`: the target has no word for it, and the nearest one stands there; `moved`: it stands in
   * another element, where the target takes it.
   */
  readonly kind: 'missing' | 'dropped' | 'replaced' | 'moved';
  /** The element, as the target names it: `dc:title`, `datacite:date@Issued`. */
  readonly element: string;
  /** Of missing ones: whether the target's guidelines call it mandatory, or mandatory if applicable. */
  readonly level?: Level;
  /** Where the value comes from: `dc.date.issued`. */
  readonly field?: string;
  /** As stated, its beginning. */
  readonly value?: string;
  /** One sentence for whoever looks after the record. */
  readonly message: string;
}

/** Mandatory, or mandatory where it applies, in the words of the guidelines of JPCOAR and OpenAIRE. */
export type Level = 'M' | 'MA';

const shown = 120;

export function missing(element: string, level: Level, message: string): CrosswalkFinding {
  return { kind: 'missing', element, level, message };
}

/** @param stated the value, and the field that it stands in */
export function about(
  kind: 'dropped' | 'replaced' | 'moved',
  element: string,
  { field, value }: { readonly field: string; readonly value: string },
  message: string,
): CrosswalkFinding {
  return { kind, element, field, value: value.length > shown ? `${value.slice(0, shown)}…` : value, message };
}
