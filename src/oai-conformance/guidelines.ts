import { fingerprint } from './answers/kept-text.ts';
import type { OaiAnswer } from './answers/oai-answer.ts';
import {
  type PageToken,
  payloadOf,
  type RecordHeader,
  readHeader,
  recordsOf,
  tokenOf,
} from './answers/record-header.ts';
import { mostPages, type Query, type Visit } from './answers/visit.ts';
import { childOf, type XmlElement } from './answers/xml-element.ts';
import type { CheckId } from './checks/check-table.ts';
import { openaireChecks } from './checks/openaire-checks.ts';
import type { Profile } from './checks/profile.ts';
import type { StatedFormat } from './protocol/formats.ts';
import { judgeJpcoar } from './records/jpcoar-records.ts';
import { judgeOpenaire } from './records/openaire-records.ts';

/** Formats that IRDB reads and we look into, the best first. */
const jpcoarPrefixes = ['jpcoar_2.0', 'jpcoar_1.0', 'jpcoar'];
const openaireNamespace = 'http://namespace.openaire.eu/schema/oaire/';

/** Whether guidelines count: those that were named, or else those whose formats are there. */
export function counts({ options }: Visit, profile: Profile, isOffered: boolean): boolean {
  return options.profiles === undefined ? isOffered : options.profiles.includes(profile);
}

/** Looks at records of OpenAIRE and JPCOAR. @param specs the sets there are; undefined: nobody knows */
export async function checkGuidelines(
  visit: Visit,
  formats: readonly StatedFormat[],
  specs: ReadonlySet<string> | undefined,
): Promise<void> {
  const request = { request: `${visit.url}?verb=ListMetadataFormats` };
  const offered = formats.map(({ prefix }) => prefix);
  const openaire = formats.find(({ prefix }) => prefix === 'oai_openaire');
  if (formats.length > 0 && counts(visit, 'openaire', openaire !== undefined)) {
    const isThere =
      openaire?.namespace === openaireNamespace ||
      ['openaire', 'openaire_data'].some((spec) => specs?.has(spec) === true);
    visit.judge(
      'openaire-format',
      request,
      isThere
        ? undefined
        : openaire
          ? `the namespace of oai_openaire is ${openaire.namespace}`
          : `there is neither oai_openaire (${offered.join(', ')}) nor a set openaire`,
    );
    const needs = Object.keys(openaireChecks).filter((id) => !/format|-dc-/.test(id)) as CheckId[];
    if (openaire) await walkFormat(visit, 'oai_openaire', needs, judgeOpenaire);
  }
  const jpcoar = jpcoarPrefixes.find((prefix) => offered.includes(prefix));
  const isRead = jpcoar !== undefined || offered.includes('junii2');
  if (formats.length > 0 && counts(visit, 'irdb', isRead)) {
    visit.judge('irdb-format', request, isRead ? undefined : `the formats are ${offered.join(', ')}`);
    if (jpcoar !== undefined) await walkFormat(visit, jpcoar, ['irdb-title', 'irdb-type'], judgeJpcoar);
  }
}

type JudgePayload = (
  payload: XmlElement,
  header: RecordHeader,
  judge: (check: CheckId, fault: string | undefined) => void,
) => void;

/** Each record of a format that is not deleted, as far as records were asked for. */
async function walkFormat(
  visit: Visit,
  prefix: string,
  needs: readonly CheckId[],
  judgePayload: JudgePayload,
): Promise<void> {
  const before = visit.records;
  const tokens = new Set<string>();
  let query: Query = { verb: 'ListRecords', metadataPrefix: prefix };
  for (let page = 1; ; page += 1) {
    const answer: OaiAnswer | undefined = await visit.ask(query, needs);
    if (!answer) return;
    for (const record of recordsOf(answer)) {
      const header = childOf(record, 'header');
      const payload = payloadOf(record);
      visit.records += 1;
      if (!header || !payload) continue;
      judgePayload(payload, readHeader(header), (check, fault) => visit.judge(check, answer, fault));
    }
    const token: PageToken | undefined = tokenOf(answer);
    // A list that does not end is judged where records of oai_dc are walked through.
    if (!token || token.text === '' || recordsOf(answer).length === 0) return;
    const mark = fingerprint(token.text);
    if (tokens.has(mark)) return;
    if (visit.records - before >= visit.options.records || page >= mostPages(visit.options)) return;
    tokens.add(mark);
    query = { verb: 'ListRecords', resumptionToken: token.text };
  }
}
