import { element } from './xml-text.ts';

/** A format as `ListMetadataFormats` names it. */
export interface OfferedFormat {
  readonly prefix: string;
  readonly namespace: string;
  readonly schema: string;
}

export interface NamedSet {
  readonly spec: string;
  readonly name: string;
}

/** Where a list is, for the end of its page. */
export interface PageEnd {
  /** Of the page after; empty: there is none, and this is not the first page. */
  readonly token: string;
  /** ISO UTC seconds; only with a token. */
  readonly expiresAt: string;
  /** Records before this page. */
  readonly cursor: number;
  /** As far as anybody has counted. */
  readonly total: number | undefined;
}

export function* formatsXml(formats: readonly OfferedFormat[]): Generator<string> {
  yield '<ListMetadataFormats>\n';
  for (const { prefix, namespace, schema } of formats)
    yield `<metadataFormat>${element('metadataPrefix', prefix)}${element('schema', schema)}${element('metadataNamespace', namespace)}</metadataFormat>\n`;
  yield '</ListMetadataFormats>\n';
}

export function* setsXml(sets: readonly NamedSet[], end: PageEnd | undefined): Generator<string> {
  yield '<ListSets>\n';
  for (const { spec, name } of sets)
    yield `<set>${element('setSpec', spec)}${element('setName', name)}</set>\n`;
  if (end) yield tokenXml(end);
  yield '</ListSets>\n';
}

/** @param end undefined: the list is complete in this one answer, which then has no token at all */
export function* listXml(
  verb: 'ListIdentifiers' | 'ListRecords' | 'GetRecord',
  entries: Iterable<string>,
  end?: PageEnd,
): Generator<string> {
  yield `<${verb}>\n`;
  yield* entries;
  if (end) yield tokenXml(end);
  yield `</${verb}>\n`;
}

function tokenXml({ token, expiresAt, cursor, total }: PageEnd): string {
  const expires = token === '' ? '' : ` expirationDate="${expiresAt}"`;
  const size = total === undefined ? '' : ` completeListSize="${total}"`;
  return `<resumptionToken${expires}${size} cursor="${cursor}">${token}</resumptionToken>\n`;
}
