import { isIdentifier } from '../../oai/protocol.ts';
import { shown } from '../answers/answer-form.ts';
import type { OaiAnswer } from '../answers/oai-answer.ts';
import type { RecordHeader } from '../answers/record-header.ts';
import type { Visit } from '../answers/visit.ts';
import { childrenOf, type XmlElement } from '../answers/xml-element.ts';

/** What every record keeps, whatever its format is. */
export function judgeRecord(
  visit: Visit,
  answer: OaiAnswer,
  record: XmlElement,
  { identifier, status }: RecordHeader,
): void {
  visit.judge(
    'record-identifier',
    answer,
    isIdentifier(identifier) ? undefined : `an identifier is ${shown(identifier)}`,
  );
  const metadata = childrenOf(record, 'metadata');
  const count = metadata.reduce((sum, { children }) => sum + children.length, 0);
  if (status === undefined) {
    visit.judge(
      'record-metadata',
      answer,
      count === 1 ? undefined : `${identifier} has ${count} elements in its metadata`,
    );
    return;
  }
  const isRight = status === 'deleted' && metadata.length === 0;
  visit.judge(
    'record-tombstone',
    answer,
    isRight
      ? undefined
      : status === 'deleted'
        ? `${identifier} is deleted, and has metadata`
        : `the status of ${identifier} is ${shown(status)}`,
  );
}

/** What is promised of deletions, and what is shown. */
export function judgeDeletions(
  visit: Visit,
  answer: OaiAnswer,
  { identifier, status }: RecordHeader,
  deletedRecord: string,
): void {
  if (deletedRecord !== 'no') return;
  visit.judge(
    'record-deletions-stated',
    answer,
    status === undefined ? undefined : `deletedRecord is no, and ${identifier} is shown as deleted`,
  );
}

/** Sets of a header. @param specs all there are; undefined: nobody knows */
export function judgeSets(
  visit: Visit,
  answer: OaiAnswer,
  { identifier, sets }: RecordHeader,
  specs: ReadonlySet<string> | undefined,
): void {
  if (sets.length === 0) return;
  const twice = sets.find((spec, position) => sets.indexOf(spec) !== position);
  const unknown = specs && sets.find((spec) => !specs.has(spec));
  visit.judge(
    'sets-listed',
    answer,
    twice !== undefined
      ? `the header of ${identifier} names ${shown(twice)} twice`
      : unknown && `the header of ${identifier} names ${shown(unknown)}, which ListSets does not`,
  );
}
