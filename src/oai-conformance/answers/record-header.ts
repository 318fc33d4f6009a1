import type { OaiAnswer } from './oai-answer.ts';
import { attributeOf, childOf, childrenOf, textOf, type XmlElement } from './xml-element.ts';

/** What a list says of one record. */
export interface RecordHeader {
  /** As written, blanks included. */
  readonly identifier: string;
  readonly datestamp: string;
  readonly sets: readonly string[];
  /** As written; undefined: the record lives. */
  readonly status: string | undefined;
}

/** The token of a page, as it stands there. */
export interface PageToken {
  /** Empty at the end of a list. */
  readonly text: string;
  readonly cursor: string | undefined;
  readonly completeListSize: string | undefined;
  readonly expirationDate: string | undefined;
}

/** Records of ListRecords and GetRecord. */
export function recordsOf({ content }: OaiAnswer): readonly XmlElement[] {
  return childrenOf(content, 'record');
}

/** Of whatever list it is. */
export function headersOf(answer: OaiAnswer): readonly RecordHeader[] {
  const own = childrenOf(answer.content, 'header');
  const elements =
    own.length > 0 ? own : recordsOf(answer).flatMap((record) => childOf(record, 'header') ?? []);
  return elements.map(readHeader);
}

export function readHeader(element: XmlElement): RecordHeader {
  return {
    identifier: childOf(element, 'identifier')?.text ?? '',
    datestamp: textOf(element, 'datestamp'),
    sets: childrenOf(element, 'setSpec').map(({ text }) => text.trim()),
    status: attributeOf(element, 'status'),
  };
}

/** The payload of a record: the first element in its metadata. */
export function payloadOf(record: XmlElement): XmlElement | undefined {
  return childOf(record, 'metadata')?.children[0];
}

/** Undefined: the page has none. */
export function tokenOf({ content }: OaiAnswer): PageToken | undefined {
  const element = childrenOf(content, 'resumptionToken').at(-1);
  return (
    element && {
      text: element.text.trim(),
      cursor: attributeOf(element, 'cursor'),
      completeListSize: attributeOf(element, 'completeListSize'),
      expirationDate: attributeOf(element, 'expirationDate'),
    }
  );
}
