import { shown } from '../answers/answer-form.ts';
import type { RecordHeader } from '../answers/record-header.ts';
import { attributeOf, childOf, childrenOf, type XmlElement } from '../answers/xml-element.ts';
import type { CheckId } from '../checks/check-table.ts';
import { valuesOf } from './dublin-core.ts';

type Judge = (check: CheckId, fault: string | undefined) => void;

const generalTypes = ['literature', 'dataset', 'software', 'other research product'];
const identifierTypes = ['ARK', 'DOI', 'HANDLE', 'PURL', 'URL', 'URN'];
const coarRights = /^https?:\/\/purl\.org\/coar\/access_right\/c_(?:abf2|f1cf|16ec|14cb)$/;
const coarType = /^https?:\/\/purl\.org\/coar\/resource_type\/\S+$/;
const isoDate = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/;
const semantics = 'info:eu-repo/semantics/';
const accessTerms = ['openAccess', 'embargoedAccess', 'restrictedAccess', 'closedAccess'];
/** Publication types of the guidelines v3. */
const typeTerms = new Set(
  'article bachelorThesis masterThesis doctoralThesis book bookPart review conferenceObject lecture workingPaper preprint report annotation contributionToPeriodical patent other'
    .split(' ')
    .map((term) => `${semantics}${term}`),
);

/** A payload of `oai_openaire`: its schema checks values, and not whether anything is there. */
export function judgeOpenaire(payload: XmlElement, { identifier }: RecordHeader, judge: Judge): void {
  const titles = childrenOf(childOf(payload, 'titles'), 'title').filter(({ text }) => text.trim() !== '');
  judge('openaire-title', titles.length > 0 ? undefined : `${identifier} has no title`);
  const creators = childrenOf(childOf(payload, 'creators'), 'creator');
  judge('openaire-creator', creators.length > 0 ? undefined : `${identifier} has no creator`);
  const issued = [...childrenOf(payload, 'date'), ...childrenOf(childOf(payload, 'dates'), 'date')].filter(
    (date) => attributeOf(date, 'dateType') === 'Issued',
  );
  const [date] = issued;
  judge(
    'openaire-issued',
    issued.length !== 1
      ? `${identifier} has ${issued.length} dates of the type Issued`
      : isoDate.test(date?.text.trim() ?? '')
        ? undefined
        : `the date of ${identifier} is ${shown(date?.text.trim())}`,
  );
  const [type] = childrenOf(payload, 'resourceType');
  const general = type && attributeOf(type, 'resourceTypeGeneral');
  const uri = type && attributeOf(type, 'uri');
  judge(
    'openaire-type',
    !type
      ? `${identifier} has no resourceType`
      : !coarType.test(uri ?? '')
        ? `the type of ${identifier} has the URI ${shown(uri)}`
        : generalTypes.includes(general ?? '')
          ? undefined
          : `the general type of ${identifier} is ${shown(general)}`,
  );
  const identifiers = childrenOf(payload, 'identifier');
  const kind = identifiers[0] && attributeOf(identifiers[0], 'identifierType');
  judge(
    'openaire-identifier',
    identifiers.length !== 1
      ? `${identifier} has ${identifiers.length} identifiers`
      : identifierTypes.includes(kind ?? '')
        ? undefined
        : `the identifier of ${identifier} has the type ${shown(kind)}`,
  );
  const rights = childrenOf(payload, 'rights');
  const level = rights[0] && attributeOf(rights[0], 'rightsURI');
  judge(
    'openaire-rights',
    rights.length !== 1
      ? `${identifier} has ${rights.length} rights`
      : coarRights.test(level ?? '')
        ? undefined
        : `the rights of ${identifier} have the URI ${shown(level)}`,
  );
}

/** A payload of `oai_dc` in the set `openaire`. */
export function judgeOpenaireDublinCore(
  payload: XmlElement,
  { identifier }: RecordHeader,
  judge: Judge,
): void {
  const levels = valuesOf(payload, 'rights').filter((text) =>
    accessTerms.some((term) => text === `${semantics}${term}`),
  );
  judge(
    'openaire-dc-rights',
    levels.length === 1 ? undefined : `${identifier} has ${levels.length} access levels in dc:rights`,
  );
  const dates = valuesOf(payload, 'date');
  if (levels[0] === `${semantics}embargoedAccess`) {
    const hasEnd = dates.some((text) => /^info:eu-repo\/date\/embargoEnd\/\d{4}-\d{2}-\d{2}$/.test(text));
    judge(
      'openaire-dc-embargo',
      hasEnd ? undefined : `${identifier} is embargoed, and does not say until when`,
    );
  }
  const hasType = valuesOf(payload, 'type').some((text) => typeTerms.has(text));
  judge('openaire-dc-type', hasType ? undefined : `${identifier} has no dc:type of info:eu-repo/semantics`);
  const isDated = dates.some((text) => isoDate.test(text));
  judge('openaire-dc-date', isDated ? undefined : `${identifier} has no date of publication in dc:date`);
  const language = valuesOf(payload, 'language').find((text) => !/^[a-z]{3}$/.test(text));
  judge('openaire-dc-language', language && `the dc:language of ${identifier} is ${shown(language)}`);
}
