import type { Arguments } from '../../oai/arguments.ts';
import { errorsXml, writeResponse } from '../../oai/envelope.ts';
import { identifyXml, isNamespace } from '../../oai/identify.ts';
import { formatsXml, listXml } from '../../oai/lists.ts';
import { OaiRefusal } from '../../oai/protocol.ts';
import { recordXml } from '../../oai/record.ts';
import { fromOaiIdentifier } from '../../oai/record-identifier.ts';
import { noFormats, unknownFormat, unknownItem } from '../../oai/refusals.ts';
import { type OaiRequest, readRequest } from '../../oai/request.ts';
import { readToken } from '../../oai/resumption-token.ts';
import { formatsInStore } from '../../store/oai/record-pages.ts';
import { findItemRecords, type StoredRecord } from '../../store/oai/stored-record.ts';
import { answerList } from './answer-list.ts';
import { answerSets } from './answer-sets.ts';
import { earliestOf, sampleIdentifier } from './earliest.ts';
import type { OaiDeps } from './oai-deps.ts';
import { writeRecords } from './record-writing.ts';
import type { OaiRepository } from './repository.ts';

/** An answer as texts, and what it tells the operator of whoever asked. */
export interface OaiAnswer {
  readonly body: Iterable<string>;
  readonly request: OaiRequest | undefined;
  /** Records or headers in it. */
  readonly records: number;
}

/** Answers one request: what is wrong with it is part of a valid document. */
export async function answerOai(
  deps: OaiDeps,
  repository: OaiRepository,
  given: Arguments,
): Promise<OaiAnswer> {
  const { journal, baseUrl, secret } = repository;
  const key = { secret, journal: journal.id };
  const { request, errors, stated } = readRequest(given, (token) => readToken(token, key));
  const respond = (content: Iterable<string>) =>
    writeResponse({ responseDate: journal.at, baseUrl, stated }, content);
  if (!request) return { body: respond(errorsXml(errors)), request, records: 0 };
  try {
    const { content, records } = await answerVerb(deps, repository, request);
    return { body: respond(content), request, records };
  } catch (error) {
    if (!(error instanceof OaiRefusal)) throw error;
    return { body: respond(errorsXml(error.errors)), request, records: 0 };
  }
}

interface Content {
  readonly content: Iterable<string>;
  readonly records: number;
}

async function answerVerb(deps: OaiDeps, repository: OaiRepository, request: OaiRequest): Promise<Content> {
  switch (request.verb) {
    case 'Identify':
      return { content: await identify(deps, repository), records: 0 };
    case 'ListMetadataFormats':
      return { content: await formats(deps, repository, request.identifier), records: 0 };
    case 'ListSets':
      return { content: await answerSets(deps, repository, request.place), records: 0 };
    case 'GetRecord':
      return { content: await record(deps, repository, request), records: 1 };
    default:
      return answerList(deps, repository, request);
  }
}

async function identify(
  { database, baseUrl }: OaiDeps,
  repository: OaiRepository,
): Promise<Iterable<string>> {
  const { offer, info, namespace } = repository;
  const sample = await sampleIdentifier(database.reader, repository);
  return identifyXml({
    name: offer.name ?? info.name,
    baseUrl: repository.baseUrl,
    adminEmails: [offer.adminEmail],
    earliest: await earliestOf(database.reader, repository.journal),
    identifiers:
      offer.namespace !== undefined && isNamespace(namespace) && sample !== undefined
        ? { namespace, sample }
        : undefined,
    friends: offer.friends.map((source) => `${baseUrl}/${source}/oai`),
    rights: offer.rights,
  });
}

async function formats(
  { database }: OaiDeps,
  repository: OaiRepository,
  identifier: string | undefined,
): Promise<Iterable<string>> {
  const names = repository.formats.map(({ prefix }) => prefix);
  if (identifier === undefined) {
    const known = await formatsInStore(database.reader, repository.journal.sourceId, names);
    // What every repository has to offer, also one without a record.
    return formatsXml(
      repository.formats.filter(({ prefix }) => prefix === 'oai_dc' || known.includes(prefix)),
    );
  }
  const records = await findRecords(database.reader, repository, identifier);
  if (!records) throw new OaiRefusal(unknownItem);
  const own = new Set(records.map(({ format }) => format));
  const offered = repository.formats.filter(({ prefix }) => own.has(prefix));
  if (offered.length === 0) throw new OaiRefusal(noFormats);
  return formatsXml(offered);
}

async function record(
  deps: OaiDeps,
  repository: OaiRepository,
  { identifier, prefix }: Extract<OaiRequest, { verb: 'GetRecord' }>,
): Promise<Iterable<string>> {
  const format = repository.formats.find((offered) => offered.prefix === prefix);
  const records = await findRecords(deps.database.reader, repository, identifier);
  if (!records) throw new OaiRefusal(unknownItem, ...(format ? [] : [unknownFormat]));
  const found = records.find((one) => one.format === prefix);
  if (!format || !found) throw new OaiRefusal(unknownFormat);
  const [written] = await writeRecords(deps, repository, format, [found]);
  // Damaged content: the item is there, but not to be had in this format now.
  if (!written) throw new OaiRefusal(unknownFormat);
  return listXml('GetRecord', [recordXml(written)]);
}

async function findRecords(
  db: OaiDeps['database']['reader'],
  { journal, namespace }: OaiRepository,
  identifier: string,
): Promise<readonly StoredRecord[] | undefined> {
  for (const candidate of fromOaiIdentifier(identifier, namespace)) {
    // PostgreSQL refuses NUL even in a question.
    const found = candidate.includes('\0')
      ? undefined
      : await findItemRecords(db, journal.sourceId, candidate);
    if (found && found.length > 0) return found;
  }
  return undefined;
}
