import type { Person } from './people.ts';
import type { Language } from './titles.ts';

/** A file of a record, as the repository keeps it. What is in it follows from these facts alone. */
export interface SampleFile {
  readonly name: string;
  readonly kind: 'paper' | 'dataset' | 'drawing' | 'photograph';
  readonly access: 'open' | 'restricted' | 'embargoed';
  /** Of an embargoed one: when everybody may read it, ISO UTC. */
  readonly availableAt?: string | undefined;
  /** From 1; another one has other bytes. */
  readonly revision: number;
  /** ISO UTC. */
  readonly modifiedAt: string;
  /** What its first page says; the record may have been corrected since. */
  readonly cover: Cover;
}

/** One record of the sample repository, as its provider keeps it. */
export interface SampleRecord {
  /** Place in every list; records never move, so paging is stable while the repository changes. */
  readonly position: number;
  readonly identifier: string;
  readonly setSpecs: readonly string[];
  readonly datestamp: string;
  readonly deleted: boolean;
  readonly title: string;
  readonly description: string;
  readonly creators: readonly Person[];
  readonly language: Pick<Language, 'code' | 'iso'>;
  readonly year: number;
  readonly type: 'article' | 'thesis' | 'report';
  /** Its metadata name its landing page. */
  readonly hasPage: boolean;
  readonly files: readonly SampleFile[];
}

export type Cover = Pick<
  SampleRecord,
  'position' | 'identifier' | 'title' | 'description' | 'creators' | 'year' | 'language'
>;

export const mediaTypes: Readonly<Record<SampleFile['kind'], string>> = {
  paper: 'application/pdf',
  dataset: 'text/csv',
  drawing: 'image/png',
  photograph: 'image/jpeg',
};
