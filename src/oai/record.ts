import { element, xmlText } from './xml-text.ts';

/** What a header says. */
export interface RecordHeader {
  /** As `toOaiIdentifier` has it. */
  readonly identifier: string;
  /** When our record changed last, ISO UTC seconds. */
  readonly datestamp: string;
  readonly sets: readonly string[];
  readonly deleted: boolean;
}

export interface OaiRecord {
  readonly header: RecordHeader;
  /** As `embedded` has it; undefined: deleted. */
  readonly metadata: string | undefined;
  readonly provenance: Provenance | undefined;
}

/** Where a record was harvested (guidelines for provenance); datestamp and identifier as they are there. */
export interface Provenance {
  readonly baseUrl: string;
  readonly identifier: string;
  readonly datestamp: string;
  readonly namespace: string;
  /** ISO UTC seconds. */
  readonly harvestedAt: string;
}

export function headerXml({ identifier, datestamp, sets, deleted }: RecordHeader): string {
  const specs = sets.map((spec) => element('setSpec', spec)).join('');
  return `<header${deleted ? ' status="deleted"' : ''}>${element('identifier', identifier)}<datestamp>${datestamp}</datestamp>${specs}</header>\n`;
}

export function recordXml({ header, metadata, provenance }: OaiRecord): string {
  const body = metadata === undefined ? '' : `<metadata>\n${metadata}\n</metadata>\n`;
  return `<record>\n${headerXml(header)}${body}${metadata !== undefined && provenance ? aboutXml(provenance) : ''}</record>\n`;
}

const namespace = 'http://www.openarchives.org/OAI/2.0/provenance';

function aboutXml({ baseUrl, identifier, datestamp, namespace: of, harvestedAt }: Provenance): string {
  return `<about><provenance xmlns="${namespace}" xsi:schemaLocation="${namespace} http://www.openarchives.org/OAI/2.0/provenance.xsd"><originDescription harvestDate="${harvestedAt}" altered="false">${element('baseURL', baseUrl)}${element('identifier', identifier)}${element('datestamp', datestamp)}<metadataNamespace>${xmlText(of)}</metadataNamespace></originDescription></provenance></about>\n`;
}
