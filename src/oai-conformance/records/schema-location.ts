import { xsiNamespace } from '../../oai/protocol.ts';
import type { RawAnswer } from '../answers/oai-answer.ts';
import type { Visit } from '../answers/visit.ts';
import { attributeOf, type XmlElement } from '../answers/xml-element.ts';

/** OAI-PMH §3.4: the root of a payload names its schema. */
export function judgeSchemaLocation(
  visit: Visit,
  answer: Pick<RawAnswer, 'request'>,
  payload: XmlElement,
  prefix: string,
): void {
  const pairs = (attributeOf(payload, 'schemaLocation', xsiNamespace) ?? '').trim().split(/\s+/);
  // At even places there are namespaces.
  const names = pairs.filter((_, position) => position % 2 === 0);
  const fault =
    pairs[0] === ''
      ? `the root of ${prefix} (${payload.name}) has no xsi:schemaLocation`
      : names.includes(payload.namespace)
        ? undefined
        : `the xsi:schemaLocation of ${prefix} does not name ${payload.namespace}`;
  visit.judge('payload-schema-location', answer, fault);
}
