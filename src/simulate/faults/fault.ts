import type { Draft, DraftEntry } from '../documents/draft.ts';
import type { PackageDraft } from '../documents/packages.ts';
import type { Repository } from '../repository/repository.ts';
import type { Answer, Request } from '../server/answer.ts';
import type { DocumentNames, SimulatorSettings } from '../settings.ts';

/** What comes of a fault in a Destination that does everything right. */
export type Outcome =
  /** Its copy equals the Source all the same. */
  | 'same'
  /** Its copy equals the Source once the fault is off; before that nothing is lost, and nothing wrong is taken. */
  | 'later'
  /** Its copy lacks what the Source does not tell of, or tells wrongly. */
  | 'less';

export type FaultKind =
  | 'finding the Source'
  | 'writing'
  | 'lists'
  | 'entries'
  | 'changes'
  | 'dumps'
  | 'answers'
  | 'connections';

/** Something that a Source does wrong, or as few others do. */
export interface Fault {
  readonly name: string;
  readonly kind: FaultKind;
  /** What it does. */
  readonly what: string;
  /** What a Destination should make of it. */
  readonly expects: string;
  readonly outcome: Outcome;
  /** The part of the addresses, or of the requests, that it strikes where nobody says another. */
  readonly share: number;
  /** Settings without which it would not be seen. */
  readonly needs?: Partial<SimulatorSettings>;
  /** Documents that there are because of it. */
  readonly document?: (path: string, scene: Scene) => Draft | undefined;
  readonly draft?: (draft: Draft, scene: Scene) => Draft;
  readonly text?: (text: string, draft: Draft, scene: Scene) => string | Buffer;
  readonly package?: (draft: PackageDraft, scene: Scene) => PackageDraft;
  readonly packed?: (bytes: Buffer, scene: Scene) => Buffer;
  /** The whole answer, before conditions and ranges. */
  readonly content?: (answer: Answer, request: Request, scene: Scene) => Answer;
  /** As it would be sent. */
  readonly answer?: (answer: Answer, request: Request, scene: Scene) => Answer;
}

/** What a fault sees of the Source. */
export interface Scene {
  /** Without a slash at its end. */
  readonly origin: string;
  readonly names: DocumentNames;
  readonly repository: Repository;
  readonly now: string;
  /** The document of a Source without faults. */
  readonly right: (path: string) => Draft | undefined;
  /** Whether it strikes here: the same for the same seed and words, at random for others. */
  readonly strikes: (...words: readonly (string | number)[]) => boolean;
}

/** Rewrites the entries of lists of resources. */
export function entriesOf(draft: Draft, rewrite: (entry: DraftEntry, index: number) => DraftEntry): Draft {
  return { ...draft, entries: draft.entries.map(rewrite) };
}
