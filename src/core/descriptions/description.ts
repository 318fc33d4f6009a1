/**
 * What a published metadata resource says of its item, in the words that people ask for. Everything in it is plain text of
 * bounded length without control characters; nothing in it is trusted to be anything else.
 */
export interface Description {
  readonly title: StatedText | undefined;
  /** The same title in other languages. */
  readonly otherTitles: readonly StatedText[];
  /** In their order. */
  readonly creators: readonly string[];
  /** Of publication: `2024`, `2024-05` or `2024-05-31`. */
  readonly date: string | undefined;
  /** As stated: `journal article`, `Dataset`. */
  readonly type: string | undefined;
  readonly abstract: StatedText | undefined;
  readonly licence: Licence | undefined;
  readonly publisher: string | undefined;
  readonly journal: JournalPlace | undefined;
  /** BCP 47, of what is described. */
  readonly language: string | undefined;
  readonly subjects: readonly string[];
  /** `10.1234/abc`. */
  readonly doi: string | undefined;
  /** `2115/64495`. */
  readonly handle: string | undefined;
  readonly isbn: string | undefined;
}

export interface StatedText {
  readonly text: string;
  /** BCP 47; undefined where nobody says it. */
  readonly language: string | undefined;
}

/** At least one of the two. */
export interface Licence {
  readonly text: string | undefined;
  /** http(s) and nothing else. */
  readonly uri: string | undefined;
}

export interface JournalPlace {
  readonly title: string | undefined;
  readonly issn: string | undefined;
  readonly volume: string | undefined;
  readonly issue: string | undefined;
  readonly firstPage: string | undefined;
  readonly lastPage: string | undefined;
}

/** How much it says. */
export function weightOf({
  title,
  creators,
  date,
  type,
  abstract,
  licence,
  doi,
  handle,
}: Description): number {
  const says = (value: unknown, weight: number) => (value === undefined ? 0 : weight);
  return (
    says(title, 8) +
    (creators.length > 0 ? 4 : 0) +
    says(date, 2) +
    says(type, 1) +
    says(abstract, 2) +
    says(licence, 1) +
    says(doi ?? handle, 1)
  );
}

/** Nothing could be added that people ask for first. */
export const fullWeight = 19;
