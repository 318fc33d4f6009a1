import type { LocalFields, Statement } from './statements.ts';
import type { AccessRight, Term } from './vocabularies/coar-terms.ts';
import type { TypedIdentifier } from './vocabularies/identifiers.ts';
import type { Licence } from './vocabularies/licences.ts';
import type { Name } from './vocabularies/people.ts';
import type { ResourceType } from './vocabularies/resource-types.ts';

/** What a repository knows of itself. */
export interface SourceCircumstances {
  /** Fields of the repository's own. */
  readonly localFields?: LocalFields | undefined;
  /** Those that count in one format alone, before the others. */
  readonly localFieldsOf?: Readonly<Record<string, LocalFields | undefined>> | undefined;
  /** Prefixes of the DOIs that the repository itself gives to its items: `10.15017`. */
  readonly doiPrefixes?: readonly string[] | undefined;
}

/** What an item's metadata does not say, and its documents do. */
export interface Circumstances extends SourceCircumstances {
  /** Its landing page. */
  readonly page?: string | undefined;
  /** Who may read its files; undefined: nobody has said so far. */
  readonly access?: AccessRight | undefined;
  /** Of embargoed ones: from when on everybody may, ISO UTC. */
  readonly availableAt?: string | undefined;
  /** Those that everybody may read now. */
  readonly files?: readonly WorkFile[] | undefined;
}

export interface WorkFile {
  readonly url: string;
  readonly name: string;
  readonly mediaType?: string | undefined;
  /** Octets. */
  readonly length?: number | undefined;
}

export interface Text {
  readonly text: string;
  readonly language: string | undefined;
}

export interface Relation extends Text {
  /** A word of JPCOAR; undefined where none fits. */
  readonly type: string | undefined;
  readonly identifier: TypedIdentifier | undefined;
}

export interface Grant {
  readonly funder: Text;
  readonly stream?: string;
  readonly number?: string;
}

/** Something stated that is not taken as it is; the targets say in which of their elements. */
export interface Remark {
  readonly kind: 'dropped' | 'replaced' | 'moved';
  /** `FieldRule.says` */
  readonly says: string;
  readonly statement: Statement;
  readonly message: string;
}

/** An item as both targets describe a work: everything in it is a value that they take. */
export interface Work {
  readonly titles: readonly Text[];
  readonly alternatives: readonly Text[];
  readonly creators: readonly Name[];
  readonly contributors: readonly { readonly type: string; readonly name: Name }[];
  readonly licences: readonly Licence[];
  readonly subjects: readonly ({ readonly scheme: string } & Text)[];
  readonly descriptions: readonly ({ readonly type: string } & Text)[];
  readonly publishers: readonly Text[];
  readonly dates: readonly { readonly type: string; readonly date: string }[];
  /** ISO 639-3. */
  readonly languages: readonly string[];
  /** Undefined: nothing is stated. */
  readonly type: ResourceType | undefined;
  readonly version: Term | undefined;
  readonly identifiers: Identifiers;
  readonly relations: readonly Relation[];
  readonly isbns: readonly string[];
  readonly temporal: readonly Text[];
  readonly places: readonly string[];
  readonly grants: readonly Grant[];
  readonly issns: readonly string[];
  readonly ncids: readonly string[];
  readonly sourceTitles: readonly Text[];
  /** `volume`, `issue`, `pageStart`, `pageEnd`: the first of each. */
  readonly citation: Readonly<Record<string, Statement | undefined>>;
  readonly conference: { readonly place: Text | undefined; readonly date: Text | undefined };
  readonly dissertationNumber: string | undefined;
  readonly degreeNames: readonly Text[];
  readonly dateGranted: string | undefined;
  readonly degreeGrantors: readonly Text[];
  readonly extents: readonly Text[];
  readonly access: AccessRight | undefined;
  readonly files: readonly WorkFile[];
}

export interface Identifiers {
  readonly handle: string | undefined;
  /** Given by the repository itself. */
  readonly ownDois: readonly string[];
  /** Of what was published elsewhere. */
  readonly otherDois: readonly string[];
  readonly page: string | undefined;
}

export interface WorkReading {
  readonly work: Work;
  readonly remarks: readonly Remark[];
}
