/**
 * The words of OAI-PMH 2.0 (14 June 2002), as its schema has them. What a request may not hold is refused before anything
 * of it is written down: an answer has to be valid whatever was asked.
 */

export const verbs = [
  'Identify',
  'ListMetadataFormats',
  'ListSets',
  'ListIdentifiers',
  'ListRecords',
  'GetRecord',
] as const;
export type Verb = (typeof verbs)[number];

/** Verbs whose answers are lists of records, or of their headers. */
export type ListVerb = 'ListIdentifiers' | 'ListRecords';

export type OaiErrorCode =
  | 'badVerb'
  | 'badArgument'
  | 'badResumptionToken'
  | 'cannotDisseminateFormat'
  | 'idDoesNotExist'
  | 'noRecordsMatch'
  | 'noMetadataFormats'
  | 'noSetHierarchy';

/** One `<error>`; there is always a sentence, because validators warn of errors without text. */
export interface OaiError {
  readonly code: OaiErrorCode;
  readonly message: string;
}

/** An answer that is nothing but errors. */
export class OaiRefusal extends Error {
  readonly errors: readonly OaiError[];

  constructor(...errors: readonly OaiError[]) {
    super(errors.map(({ code }) => code).join(', '));
    this.name = 'OaiRefusal';
    this.errors = errors;
  }
}

export const oaiNamespace = 'http://www.openarchives.org/OAI/2.0/';
export const xsiNamespace = 'http://www.w3.org/2001/XMLSchema-instance';

/** `metadataPrefixType`; `all` is reserved (§3.4 of the implementation guidelines). */
export function isPrefix(text: string): boolean {
  return /^[A-Za-z0-9\-_.!~*'()]+$/.test(text) && text !== 'all';
}

/** `setSpecType` */
export function isSetSpec(text: string): boolean {
  return /^[A-Za-z0-9\-_.!~*'()]+(?::[A-Za-z0-9\-_.!~*'()]+)*$/.test(text);
}

const uri =
  /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2}|[\u{a0}-\u{d7ff}\u{f900}-\u{fdcf}\u{fdf0}-\u{ffef}\u{10000}-\u{1fffd}\u{20000}-\u{2fffd}\u{30000}-\u{3fffd}])+$/u;

/** Whether a text can stand as the `identifier` of a record: an absolute URI that every XML Schema processor takes. */
export function isIdentifier(text: string): boolean {
  if (!uri.test(text)) return false;
  const authority = /^[^:]+:\/\/([^/?]*)/.exec(text)?.[1];
  return authority === undefined || /^(?:[^@]*@)?[^:@]*(?::\d{0,5})?$/.test(authority);
}
