import { addSeconds, earlier } from '../../core/datetime.ts';
import { repositoryId, repositoryName } from '../records/records.ts';
import type { SampleRecord } from '../records/sample-record.ts';
import { isMember, sets } from '../records/sets.ts';
import { OaiFailure, type OaiRequest, readRequest } from './arguments.ts';
import { type SampleFormat, sampleFormats } from './formats.ts';
import { type ListState, readToken, writeToken } from './tokens.ts';
import { element, escapeXml } from './xml.ts';

const pageSize = 50;
const tokenLifetime = 3_600;
const oai = 'http://www.openarchives.org/OAI/2.0/';

/** What the provider answers from; records in their order, which never changes. */
export interface ProviderState {
  readonly baseUrl: string;
  /** ISO UTC seconds. */
  readonly now: string;
  readonly records: readonly SampleRecord[];
}

/** One OAI-PMH 2.0 request to one response document. */
export function answer(query: URLSearchParams, state: ProviderState): string {
  let request: OaiRequest | undefined;
  let content: string;
  try {
    request = readRequest(query);
    content = `<${request.verb}>\n${answerVerb(request, state)}\n</${request.verb}>`;
  } catch (error) {
    if (!(error instanceof OaiFailure)) throw error;
    content = element('error', error.message, ` code="${error.code}"`);
  }
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<OAI-PMH xmlns="${oai}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
    `xsi:schemaLocation="${oai} ${oai}OAI-PMH.xsd">\n` +
    `${element('responseDate', state.now)}\n${echo(request, state.baseUrl)}\n${content}\n</OAI-PMH>\n`
  );
}

/** Without attributes where the request made no sense. */
function echo(request: OaiRequest | undefined, baseUrl: string): string {
  if (request === undefined) return element('request', baseUrl);
  const given = [['verb', request.verb], ...request.given];
  return element(
    'request',
    baseUrl,
    given.map(([name, value = '']) => ` ${name}="${escapeXml(value)}"`).join(''),
  );
}

function answerVerb(request: OaiRequest, state: ProviderState): string {
  switch (request.verb) {
    case 'Identify':
      return identify(state);
    case 'ListMetadataFormats':
      return listMetadataFormats(request, state);
    case 'ListSets':
      if (request.given.has('resumptionToken')) throw badToken();
      return sets
        .map(({ spec, name }) => `<set>${element('setSpec', spec)}${element('setName', name)}</set>`)
        .join('\n');
    case 'GetRecord':
      return getRecord(request, state);
    default:
      return list(request, state);
  }
}

function identify({ baseUrl, records }: ProviderState): string {
  const earliest = records.reduce((found, { datestamp }) => earlier(found, datestamp), '9999');
  return [
    element('repositoryName', repositoryName),
    element('baseURL', baseUrl),
    element('protocolVersion', '2.0'),
    element('adminEmail', `library@${repositoryId}`),
    element('earliestDatestamp', earliest),
    element('deletedRecord', 'persistent'),
    element('granularity', 'YYYY-MM-DDThh:mm:ssZ'),
    `<description><oai-identifier xmlns="${oai}oai-identifier" xsi:schemaLocation="${oai}oai-identifier ${oai}oai-identifier.xsd">` +
      `<scheme>oai</scheme><repositoryIdentifier>${repositoryId}</repositoryIdentifier><delimiter>:</delimiter>` +
      `<sampleIdentifier>oai:${repositoryId}:faculty/letters/1000</sampleIdentifier></oai-identifier></description>`,
  ].join('\n');
}

function listMetadataFormats({ given }: OaiRequest, { records }: ProviderState): string {
  const identifier = given.get('identifier');
  if (identifier !== undefined && !records.some((record) => record.identifier === identifier)) {
    throw new OaiFailure('idDoesNotExist', `There is no record ${identifier}.`);
  }
  return sampleFormats
    .map(
      ({ prefix, namespace, schema }) =>
        `<metadataFormat>${element('metadataPrefix', prefix)}${element('schema', schema)}` +
        `${element('metadataNamespace', namespace)}</metadataFormat>`,
    )
    .join('\n');
}

function formatOf(prefix: string): SampleFormat {
  const format = sampleFormats.find((candidate) => candidate.prefix === prefix);
  if (format === undefined) throw new OaiFailure('cannotDisseminateFormat', `There is no format ${prefix}.`);
  return format;
}

function getRecord({ given }: OaiRequest, { records, baseUrl }: ProviderState): string {
  const identifier = given.get('identifier') ?? '';
  const record = records.find((candidate) => candidate.identifier === identifier);
  if (record === undefined) throw new OaiFailure('idDoesNotExist', `There is no record ${identifier}.`);
  return writeRecord(record, formatOf(given.get('metadataPrefix') ?? ''), baseUrl);
}

function list({ verb, given }: OaiRequest, { records, now, baseUrl }: ProviderState): string {
  const token = given.get('resumptionToken');
  const resumed = token === undefined ? undefined : readToken(token, now);
  if (token !== undefined && resumed?.verb !== verb) throw badToken();
  const state = resumed ?? begin(verb, given, records, now);
  const format = formatOf(state.prefix);
  const selected = select(records, state);
  if (selected.length === 0 && resumed === undefined)
    throw new OaiFailure('noRecordsMatch', 'There is nothing like that.');
  const page = selected.slice(0, pageSize);
  const written = page.map((record) =>
    verb === 'ListRecords' ? writeRecord(record, format, baseUrl) : writeHeader(record),
  );
  const last = page.at(-1);
  const more = selected.length > pageSize && last !== undefined;
  if (!more && resumed === undefined) return written.join('\n');
  return `${written.join('\n')}\n${writeResumption(state, more ? last.position : undefined, page.length, now)}`;
}

function begin(
  verb: string,
  given: ReadonlyMap<string, string>,
  records: readonly SampleRecord[],
  now: string,
): ListState {
  const { prefix } = formatOf(given.get('metadataPrefix') ?? '');
  const until = given.get('until');
  const state: ListState = {
    verb,
    prefix,
    set: given.get('set'),
    from: given.get('from'),
    // A day lasts until its last second.
    until: until?.length === 10 ? `${until}T23:59:59Z` : until,
    after: -1,
    cursor: 0,
    completeListSize: 0,
    expiresAt: now,
  };
  return { ...state, completeListSize: select(records, state).length };
}

function select(records: readonly SampleRecord[], { set, from, until, after }: ListState): SampleRecord[] {
  return records.filter(
    ({ position, datestamp, setSpecs }) =>
      position > after &&
      (from === undefined || datestamp >= from) &&
      (until === undefined || datestamp <= until) &&
      (set === undefined || isMember(setSpecs, set)),
  );
}

/** The last page of several carries an empty token. */
function writeResumption(
  state: ListState,
  after: number | undefined,
  delivered: number,
  now: string,
): string {
  const size = ` completeListSize="${state.completeListSize}" cursor="${state.cursor}"`;
  if (after === undefined) return `<resumptionToken${size}/>`;
  const expiresAt = addSeconds(now, tokenLifetime);
  const token = writeToken({ ...state, after, cursor: state.cursor + delivered, expiresAt });
  return element('resumptionToken', token, ` expirationDate="${expiresAt}"${size}`);
}

function writeHeader({ identifier, datestamp, setSpecs, deleted }: SampleRecord): string {
  const specs = setSpecs.map((spec) => element('setSpec', spec)).join('');
  return (
    `<header${deleted ? ' status="deleted"' : ''}>${element('identifier', identifier)}` +
    `${element('datestamp', datestamp)}${specs}</header>`
  );
}

function writeRecord(record: SampleRecord, format: SampleFormat, baseUrl: string): string {
  const metadata = record.deleted ? '' : `<metadata>\n${format.write(record, baseUrl)}\n</metadata>`;
  return `<record>${writeHeader(record)}${metadata}</record>`;
}

function badToken(): OaiFailure {
  return new OaiFailure('badResumptionToken', 'This token is not ours, or it has expired.');
}
