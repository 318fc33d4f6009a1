import { shown } from '../answers/answer-form.ts';
import type { OaiAnswer } from '../answers/oai-answer.ts';
import type { RecordHeader } from '../answers/record-header.ts';
import type { Visit } from '../answers/visit.ts';
import { childrenOf, type XmlElement } from '../answers/xml-element.ts';

const oaiDc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const dc = 'http://purl.org/dc/elements/1.1/';
const elements = new Set(
  'title creator subject description publisher contributor date type format identifier source language relation coverage rights'.split(
    ' ',
  ),
);

/** A payload of `oai_dc`. */
export function judgeDublinCore(
  visit: Visit,
  answer: OaiAnswer,
  payload: XmlElement,
  { identifier }: RecordHeader,
): void {
  const strange = payload.children.find(({ namespace, local, children }) => {
    return namespace !== dc || !elements.has(local) || children.length > 0;
  });
  visit.judge(
    'dc-root',
    answer,
    payload.namespace !== oaiDc || payload.local !== 'dc'
      ? `the payload of ${identifier} is ${payload.name} in ${shown(payload.namespace)}`
      : strange && `${identifier} has ${strange.name} in ${shown(strange.namespace)}`,
  );
  const empty = payload.children.find(({ text, children }) => text.trim() === '' && children.length === 0);
  visit.judge(
    'dc-empty',
    answer,
    payload.children.length === 0
      ? `${identifier} has no elements`
      : empty && `${identifier} has an empty ${empty.name}`,
  );
}

/** The texts of one element of Dublin Core, in its order, without empty ones. */
export function valuesOf(payload: XmlElement, name: string): readonly string[] {
  return childrenOf(payload, name)
    .map(({ text }) => text.trim())
    .filter((text) => text !== '');
}
