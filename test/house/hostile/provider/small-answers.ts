import type { Repository } from '../repository.ts';
import type { OaiArguments } from './arguments.ts';
import { HttpFault, OaiFault, pageForPeople } from './fault.ts';
import { escapeText, findFormat } from './formats.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import { element, type RecordContext, writeRecord } from './record-xml.ts';
import { shuffle } from './selection.ts';

export interface SmallDeps {
  readonly baseUrl: string;
  readonly repository: Repository;
  readonly formats: readonly string[];
  readonly now: string;
  readonly wrong: Misbehaviour;
  readonly fileUrl: RecordContext['fileUrl'];
}

export function identify({ baseUrl, repository, wrong, now }: SmallDeps): string {
  const day = wrong.granularity === 'day';
  const first = repository.records[0]?.datestamp ?? now;
  const parts = [
    element('repositoryName', 'The Hostile Repository', wrong),
    element('baseURL', wrong.wrongBaseUrl === true ? 'http://127.0.0.1:1/nobody/is/here' : baseUrl, wrong),
    element('protocolVersion', '2.0', wrong),
    element('adminEmail', 'nobody@hostile.example.org', wrong),
    element('earliestDatestamp', wrong.earliestDatestamp ?? (day ? first.slice(0, 10) : first), wrong),
    element('deletedRecord', wrong.deletedRecord ?? 'persistent', wrong),
    element('granularity', wrong.granularityText ?? (day ? 'YYYY-MM-DD' : 'YYYY-MM-DDThh:mm:ssZ'), wrong),
  ];
  // Neither a name nor a version, and the address first.
  return wrong.identifyShuffled === true
    ? [parts[3], parts[6], parts[5], parts[1]].join('\n')
    : parts.join('\n');
}

export function listMetadataFormats({ formats, wrong }: SmallDeps): string {
  return formats
    .map((prefix) => {
      const format = findFormat(prefix);
      const namespace =
        wrong.formatsAreWrong === true ? 'http://www.w3.org/2001/XMLSchema' : (format?.namespace ?? '');
      const schema = wrong.formatsAreWrong === true ? '' : (format?.schema ?? '');
      return element(
        'metadataFormat',
        element('metadataPrefix', prefix, wrong) +
          element('schema', schema, wrong) +
          element('metadataNamespace', namespace, wrong),
        wrong,
      );
    })
    .join('\n');
}

const setsTokens = /^sets-(\d+)$/;

/** @throws OaiFault, HttpFault */
export function listSets(given: OaiArguments, { repository, wrong }: SmallDeps): string {
  if (wrong.noSets === 'noSetHierarchy') throw new OaiFault('noSetHierarchy', 'There are no sets here.');
  if (wrong.noSets === 'badVerb') throw new OaiFault('badVerb', 'What are sets?');
  if (wrong.noSets === 'empty') return '';
  if (wrong.listSets === 'fails') throw new HttpFault(500, pageForPeople('Internal Server Error'));
  const all = [...new Set(repository.records.flatMap(({ sets }) => sets))];
  const { resumptionToken: token } = given;
  const offset = token === undefined ? 0 : Number(setsTokens.exec(token)?.[1] ?? Number.NaN);
  if (Number.isNaN(offset)) throw new OaiFault('badResumptionToken', 'This token is none of ours.');
  const size = wrong.setsPerPage ?? 100;
  const ordered = wrong.listSets === 'shuffled' ? shuffle(all, offset + 1) : all;
  const page = wrong.listSets === 'endless' ? all.slice(0, size) : ordered.slice(offset, offset + size);
  const more = wrong.listSets === 'endless' || offset + size < all.length;
  const written = page.map((spec) =>
    element(
      'set',
      element('setSpec', escapeText(spec), wrong) + element('setName', escapeText(`The ${spec}`), wrong),
      wrong,
    ),
  );
  return `${written.join('\n')}${more ? element('resumptionToken', `sets-${offset + size}`, wrong) : ''}`;
}

/** @throws OaiFault, HttpFault */
export function getRecord({ identifier = '', metadataPrefix = '' }: OaiArguments, deps: SmallDeps): string {
  const { repository, formats, wrong, now, fileUrl } = deps;
  if (!formats.includes(metadataPrefix)) {
    throw new OaiFault('cannotDisseminateFormat', `There is no format ${metadataPrefix}.`);
  }
  const unknown = new OaiFault('idDoesNotExist', `There is no record ${identifier}.`);
  if (wrong.getRecord === 'fails' || wrong.poisoned?.includes(identifier)) {
    throw new HttpFault(wrong.poisonStatus ?? 500);
  }
  const record = repository.find(identifier);
  if (record === undefined || record.hidden || wrong.getRecord === 'idDoesNotExist') throw unknown;
  if (record.formats !== undefined && !record.formats.includes(metadataPrefix)) {
    throw new OaiFault('cannotDisseminateFormat', `${identifier} does not have this format.`);
  }
  return writeRecord(record, { metadataPrefix, page: 0, now, wrong, fileUrl });
}
