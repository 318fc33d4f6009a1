import { isPrefix } from '../../oai/protocol.ts';
import { shown } from '../answers/answer-form.ts';
import { outcomeOf } from '../answers/oai-answer.ts';
import { payloadOf, recordsOf } from '../answers/record-header.ts';
import type { Visit } from '../answers/visit.ts';
import { childrenOf, textOf } from '../answers/xml-element.ts';
import { judgeSchemaLocation } from '../records/schema-location.ts';

/** One `<metadataFormat>`. */
export interface StatedFormat {
  readonly prefix: string;
  readonly namespace: string;
  readonly schema: string;
}

const oaiDc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';

/** Asks which formats there are. @returns none where nothing can be said */
export async function checkFormats(visit: Visit): Promise<readonly StatedFormat[]> {
  const answer = await visit.ask({ verb: 'ListMetadataFormats' }, [
    'formats-oai-dc',
    'formats-prefix',
    'formats-namespace',
    'formats-schema',
  ]);
  if (!answer) return [];
  const formats = childrenOf(answer.content, 'metadataFormat').map((format) => ({
    prefix: textOf(format, 'metadataPrefix'),
    namespace: textOf(format, 'metadataNamespace'),
    schema: textOf(format, 'schema'),
  }));
  const dc = formats.find(({ prefix }) => prefix === 'oai_dc');
  visit.judge(
    'formats-oai-dc',
    answer,
    dc === undefined
      ? `oai_dc is not offered (${answer.content ? formats.map(({ prefix }) => prefix).join(', ') : outcomeOf(answer)})`
      : dc.namespace === oaiDc
        ? undefined
        : `the namespace of oai_dc is ${shown(dc.namespace)}`,
  );
  for (const [position, { prefix, namespace, schema }] of formats.entries()) {
    const before = formats.slice(0, position);
    visit.judge(
      'formats-prefix',
      answer,
      !isPrefix(prefix)
        ? `the metadataPrefix is ${shown(prefix)}`
        : before.some((other) => other.prefix === prefix)
          ? `${prefix} is listed twice`
          : undefined,
    );
    const twin = before.find((other) => other.namespace === namespace);
    const neighbour = before.find((other) => other.schema === schema);
    visit.judge(
      'formats-namespace',
      answer,
      twin
        ? `${twin.prefix} and ${prefix} have the namespace ${shown(namespace)}`
        : neighbour && `${neighbour.prefix} and ${prefix} have the schema ${shown(schema)}`,
    );
    const isOne = /^https?:\/\/\S+$/.test(schema);
    visit.judge('formats-schema', answer, isOne ? undefined : `the schema of ${prefix} is ${shown(schema)}`);
  }
  return formats;
}

/** Looks at one record in each of its formats. @param formats those of the repository */
export async function checkFormatsOf(
  visit: Visit,
  identifier: string,
  formats: readonly StatedFormat[],
): Promise<void> {
  const answer = await visit.ask({ verb: 'ListMetadataFormats', identifier }, ['formats-of-record']);
  if (!answer) return;
  const own = childrenOf(answer.content, 'metadataFormat').map((format) => textOf(format, 'metadataPrefix'));
  visit.judge(
    'formats-of-record',
    answer,
    own.includes('oai_dc')
      ? undefined
      : `for ${identifier} it is answered with ${own.join(', ') || outcomeOf(answer)}`,
  );
  for (const format of formats.filter(({ prefix }) => own.includes(prefix))) {
    await checkPayload(visit, identifier, format);
  }
}

/** DSpaces state the one for `qdc` and write the other; and they find the format at others by what those state. */
function isQualified(written: string | undefined, stated: string | undefined): boolean {
  return written === 'http://dspace.org/qualifieddc/' && stated === 'http://purl.org/dc/terms/';
}

async function checkPayload(visit: Visit, identifier: string, format: StatedFormat): Promise<void> {
  const { prefix, namespace } = format;
  const needs = ['formats-payload', 'payload-schema-location'] as const;
  const answer = await visit.ask({ verb: 'GetRecord', identifier, metadataPrefix: prefix }, needs);
  if (!answer) return;
  const [record] = recordsOf(answer);
  const payload = record && payloadOf(record);
  if (!payload) {
    visit.judge(
      'formats-payload',
      answer,
      `${identifier} in ${prefix} is answered with ${outcomeOf(answer)}, without a payload`,
    );
    return;
  }
  visit.judge(
    'formats-payload',
    answer,
    payload.namespace === namespace || isQualified(payload.namespace, namespace)
      ? undefined
      : `the root of ${prefix} is in ${shown(payload.namespace)}, and ListMetadataFormats states ${shown(namespace)}`,
  );
  judgeSchemaLocation(visit, answer, payload, prefix);
}
