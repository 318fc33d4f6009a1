import { shown } from '../answers/answer-form.ts';
import type { RecordHeader } from '../answers/record-header.ts';
import { attributeOf, descendants, type XmlElement } from '../answers/xml-element.ts';
import type { CheckId } from '../checks/check-table.ts';
import { fieldsOf, languageOf, placeOf, resourceOf, versionOf } from './jpcoar-elements.ts';

type Judge = (check: CheckId, fault: string | undefined) => void;

const coarType = /^https?:\/\/purl\.org\/coar\/resource_type\/(\S+)$/;
const theses = ['c_46ec', 'c_7a1f', 'c_bdcc', 'c_db06'];
const access: Readonly<Record<string, string>> = {
  'open access': 'c_abf2',
  'embargoed access': 'c_f1cf',
  'restricted access': 'c_16ec',
  'metadata only access': 'c_14cb',
};
const versions: Readonly<Record<string, string>> = {
  AO: 'c_b1a7d7d4d402bcce',
  SMUR: 'c_71e4c1898caa6e32',
  AM: 'c_ab4af688f83e57aa',
  P: 'c_fa2ee174bc00049f',
  VoR: 'c_970fb48d4fbd8a85',
  CVoR: 'c_e19f295774971610',
  EVoR: 'c_dc82b40f9837b551',
  NA: 'c_be7fb7dd8ff6fe43',
};

/** A payload of JPCOAR schema, by what IRDB refuses and by the rules of jpcoar-validator. */
export function judgeJpcoar(payload: XmlElement, { identifier }: RecordHeader, judge: Judge): void {
  const told = (fault: string | undefined) => fault && `${identifier}: ${fault}`;
  judge('irdb-title', told(faultOfTitles(fieldsOf(payload, 'dc', 'title'))));
  judge('irdb-kana', told(faultOfReadings(payload)));
  const types = fieldsOf(payload, 'dc', 'type');
  const type = types[0] && coarType.exec(resourceOf(types[0]) ?? '')?.[1];
  judge(
    'irdb-type',
    told(
      types.length !== 1
        ? `it has ${types.length} dc:type`
        : type === undefined
          ? `its dc:type is ${shown(types[0]?.text.trim())}, without the URI of a COAR type`
          : undefined,
    ),
  );
  if (type !== undefined && theses.includes(type)) {
    const hasCreator = fieldsOf(payload, 'jpcoar', 'creator').length > 0;
    judge('irdb-thesis-creator', told(hasCreator ? undefined : 'it is a thesis without a creator'));
  }
  if (type === 'c_db06') judge('jpcoar-doctoral', told(faultOfThesis(payload)));
  judge('jpcoar-identifier', told(faultOfIdentifiers(fieldsOf(payload, 'jpcoar', 'identifier'))));
  if (versionOf(payload) === '2.0') judge('jpcoar-order', told(faultOfSequence(payload)));
  judge('jpcoar-language', told(faultOfLanguages(payload)));
  judge('jpcoar-names', told(faultOfNames(payload)));
  judge('jpcoar-access', told(faultOfAccess(payload)));
  judge('jpcoar-version', told(faultOfVersion(fieldsOf(payload, 'oaire', 'version')[0])));
  judge('jpcoar-numbers', told(faultOfNumbers(payload)));
  judge('jpcoar-issn', told(faultOfSources(fieldsOf(payload, 'jpcoar', 'sourceIdentifier'))));
  judge('jpcoar-file', told(faultOfFiles(fieldsOf(payload, 'jpcoar', 'file'))));
}

function faultOfTitles(titles: readonly XmlElement[]): string | undefined {
  if (titles.length === 0) return 'it has no dc:title';
  const languages = titles.map(languageOf);
  const twice = languages.find((language, position) => languages.indexOf(language) !== position);
  if (twice === undefined) return undefined;
  return twice === '' ? 'it has two titles without xml:lang' : `it has two titles in ${twice}`;
}

function faultOfReadings(payload: XmlElement): string | undefined {
  const people = [...fieldsOf(payload, 'jpcoar', 'creator'), ...fieldsOf(payload, 'jpcoar', 'contributor')];
  const groups = [
    fieldsOf(payload, 'dc', 'title'),
    ...people.map((person) =>
      person.children.filter(({ local }) => /^(?:creator|contributor)Name$/.test(local)),
    ),
  ];
  for (const group of groups) {
    const languages = group.map(languageOf);
    const reading = group.find((element) => languageOf(element) === 'ja-Kana');
    if (reading && !languages.includes('ja'))
      return `${shown(reading.text.trim())} is in ja-Kana, and nothing in ja`;
  }
  return undefined;
}

function faultOfThesis(payload: XmlElement): string | undefined {
  const names = ['dissertationNumber', 'degreeName', 'dateGranted', 'degreeGrantor'];
  const missing = names.filter((name) => !payload.children.some(({ local }) => local === name));
  return missing.length === 0 ? undefined : `it is a doctoral thesis without ${missing.join(', ')}`;
}

function faultOfIdentifiers(identifiers: readonly XmlElement[]): string | undefined {
  if (identifiers.length === 0) return 'it has no jpcoar:identifier';
  const forms: Readonly<Record<string, RegExp>> = {
    DOI: /^https?:\/\/doi\.org\/10\./,
    HDL: /^https?:\/\/hdl\.handle\.net\//,
    URI: /^[a-z][a-z0-9+.-]*:/i,
  };
  for (const element of identifiers) {
    const kind = attributeOf(element, 'identifierType') ?? '';
    const form = forms[kind];
    if (!form) return `the type of an identifier is ${shown(kind)}`;
    if (!form.test(element.text.trim())) return `the ${kind} is ${shown(element.text.trim())}`;
  }
  return undefined;
}

function faultOfSequence({ children }: XmlElement): string | undefined {
  let last = 0;
  for (const child of children) {
    const place = placeOf(child);
    if (place < 0) return `${child.name} is no element of the schema`;
    if (place < last) return `${child.name} comes too late`;
    last = place;
  }
  return undefined;
}

function faultOfLanguages(payload: XmlElement): string | undefined {
  for (const element of descendants(payload)) {
    const tag = languageOf(element);
    if (tag !== '' && !/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(tag))
      return `an xml:lang is ${shown(tag)}`;
  }
  const language = fieldsOf(payload, 'dc', 'language').find(({ text }) => !/^[a-z]{3}$/.test(text.trim()));
  return language && `its dc:language is ${shown(language.text.trim())}`;
}

function faultOfNames(payload: XmlElement): string | undefined {
  const named = [...descendants(payload)].filter(({ local }) => /^(?:creator|contributor)Name$/.test(local));
  const texts = [
    ...fieldsOf(payload, 'dc', 'title'),
    ...fieldsOf(payload, 'dcterms', 'alternative'),
    ...fieldsOf(payload, 'dc', 'publisher'),
    ...fieldsOf(payload, 'jpcoar', 'sourceTitle'),
    ...named,
  ];
  const bare = texts.find((element) => languageOf(element) === '');
  return bare && `${bare.name} ${shown(bare.text.trim())} has no xml:lang`;
}

function faultOfAccess(payload: XmlElement): string | undefined {
  const [rights] = fieldsOf(payload, 'dcterms', 'accessRights');
  if (!rights) return undefined;
  const label = rights.text.trim();
  const code = access[label];
  const uri = resourceOf(rights);
  if (code === undefined) return `accessRights is ${shown(label)}`;
  if (!uri?.endsWith(`/coar/access_right/${code}`)) return `${label} has the URI ${shown(uri)}`;
  const dates = fieldsOf(payload, 'datacite', 'date');
  const isDated = dates.some((date) => attributeOf(date, 'dateType') === 'Available');
  return code === 'c_f1cf' && !isDated ? 'it is embargoed, without a date Available' : undefined;
}

function faultOfVersion(version: XmlElement | undefined): string | undefined {
  if (!version) return undefined;
  const label = version.text.trim();
  const code = versions[label];
  const uri = resourceOf(version);
  if (code === undefined) return `oaire:version is ${shown(label)}`;
  return uri?.endsWith(`/coar/version/${code}`) === true ? undefined : `${label} has the URI ${shown(uri)}`;
}

function faultOfNumbers(payload: XmlElement): string | undefined {
  for (const name of ['numPages', 'pageStart', 'pageEnd']) {
    const [field] = fieldsOf(payload, 'jpcoar', name);
    if (field && !/^\+?0*[1-9]\d*$/.test(field.text.trim())) return `${name} is ${shown(field.text.trim())}`;
  }
  return undefined;
}

function faultOfSources(identifiers: readonly XmlElement[]): string | undefined {
  for (const element of identifiers) {
    const kind = attributeOf(element, 'identifierType') ?? '';
    const text = element.text.trim();
    if (kind === 'ISSN') return `${shown(text)} is ISSN, neither PISSN nor EISSN`;
    if (/^[PE]ISSN$/.test(kind) && !/^\d{4}-\d{3}[\dX]$/.test(text)) return `the ${kind} is ${shown(text)}`;
    if (kind === 'NCID' && !/^[A-Z]{2}\d{7}[\dX]$/.test(text)) return `the NCID is ${shown(text)}`;
  }
  return undefined;
}

function faultOfFiles(files: readonly XmlElement[]): string | undefined {
  for (const file of files) {
    const uri = fieldsOf(file, 'jpcoar', 'URI').find((one) => attributeOf(one, 'objectType') === undefined);
    if (uri) return `${shown(uri.text.trim())} has no objectType`;
  }
  return undefined;
}
