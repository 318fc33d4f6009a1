import { shown } from '../answers/answer-form.ts';
import { fingerprint, keptText } from '../answers/kept-text.ts';
import type { OaiAnswer } from '../answers/oai-answer.ts';
import type { RecordHeader } from '../answers/record-header.ts';
import type { Visit } from '../answers/visit.ts';
import { descendants, type XmlElement } from '../answers/xml-element.ts';
import { valuesOf } from './dublin-core.ts';

const wanted = ['title', 'creator', 'date', 'type', 'identifier'];
const dateForm = /^\d{4}(?:-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?)?)?$/;
const vocabulary = /^info:eu-repo\//;
/** Addresses that are compared: who writes the same into all records does so in the first ones. */
const mostAddresses = 100_000;
/** UTF-8 taken for Latin-1, and encoded again. */
const encodedTwice = /[ÃÂ][\u0080-\u00bf]|â€[\u0080-\u00bf“”˜™œ]/;

/** Records of `oai_dc` as BASE looks at them. */
export class BaseRecords {
  readonly #visit: Visit;
  /** By the fingerprint of an address, the record that has it. */
  readonly #addresses = new Map<string, string>();

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  judge(answer: OaiAnswer, payload: XmlElement, { identifier }: RecordHeader): void {
    const visit = this.#visit;
    const missing = wanted.filter((name) => valuesOf(payload, name).length === 0);
    visit.judge(
      'base-fields',
      answer,
      missing.length === 0
        ? undefined
        : `${identifier} has no ${missing.map((name) => `dc:${name}`).join(', ')}`,
    );
    this.#judgeAddress(answer, payload, identifier);
    const handle = valuesOf(payload, 'identifier').find((text) => /(?:^|\/)123456789\/\d/.test(text));
    visit.judge('base-handle', answer, handle && `${identifier} has ${shown(handle)}`);
    const language = valuesOf(payload, 'language').find((text) => !/^[a-z]{2,3}$/.test(text));
    visit.judge(
      'base-language',
      answer,
      language && `the dc:language of ${identifier} is ${shown(language)}`,
    );
    const date = valuesOf(payload, 'date').find((text) => !dateForm.test(text) && !vocabulary.test(text));
    visit.judge('base-date', answer, date && `the dc:date of ${identifier} is ${shown(date)}`);
    judgeEncoding(visit, answer, identifier, [...descendants(payload)].map(({ text }) => text).join(' '));
  }

  #judgeAddress(answer: OaiAnswer, payload: XmlElement, identifier: string): void {
    const addresses = valuesOf(payload, 'identifier').filter((text) => /^https?:\/\/[^/\s]+/i.test(text));
    const marks = addresses.map((address) => fingerprint(address));
    const name = keptText(identifier, 200);
    const other = marks.map((mark) => this.#addresses.get(mark)).find((one) => one !== undefined);
    const isShared =
      other !== undefined && other !== name && marks.every((mark) => this.#addresses.has(mark));
    for (const mark of marks) if (this.#addresses.size < mostAddresses) this.#addresses.set(mark, name);
    this.#visit.judge(
      'base-url',
      answer,
      addresses.length === 0
        ? `${identifier} has no http(s) address in dc:identifier`
        : isShared
          ? `${name} and ${other} have the same address in dc:identifier`
          : undefined,
    );
  }
}

/** @param where the text is from, for people */
export function judgeEncoding(
  visit: Visit,
  answer: Pick<OaiAnswer, 'request'>,
  where: string,
  text: string,
): void {
  const found = encodedTwice.exec(text);
  const around = found && text.slice(Math.max(0, found.index - 20), found.index + 20);
  visit.judge('base-encoding', answer, found ? `${where} has ${shown(around?.trim())}` : undefined);
}
