import type { Arguments } from '../../oai/arguments.ts';
import { errorsXml, writeResponse } from '../../oai/envelope.ts';
import { identifyXml } from '../../oai/identify.ts';
import { formatsXml, listXml } from '../../oai/lists.ts';
import { OaiRefusal } from '../../oai/protocol.ts';
import { recordXml } from '../../oai/record.ts';
import { noFormats, unknownFormat, unknownItem } from '../../oai/refusals.ts';
import { type OaiRequest, readRequest } from '../../oai/request.ts';
import { readToken } from '../../oai/resumption-token.ts';
import { answerList } from './answer-list.ts';
import { answerSets } from './answer-sets.ts';
import type { OaiDeps } from './oai-deps.ts';
import { writeRecords } from './record-writing.ts';
import type { HeldRecord, OaiRepository } from './repository.ts';

/** An answer as texts, and what it tells the operator of whoever asked. */
export interface OaiAnswer {
  readonly body: Iterable<string>;
  readonly request: OaiRequest | undefined;
  /** Of a list: what is in it, as records or headers. */
  readonly held: readonly HeldRecord[];
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
  if (!request) return { body: respond(errorsXml(errors)), request, held: [] };
  try {
    const { content, held = [] } = await answerVerb(deps, repository, request);
    return { body: respond(content), request, held };
  } catch (error) {
    if (!(error instanceof OaiRefusal)) throw error;
    return { body: respond(errorsXml(error.errors)), request, held: [] };
  }
}

interface Content {
  readonly content: Iterable<string>;
  readonly held?: readonly HeldRecord[];
}

async function answerVerb(deps: OaiDeps, repository: OaiRepository, request: OaiRequest): Promise<Content> {
  switch (request.verb) {
    case 'Identify':
      return { content: identifyXml(await repository.identity()) };
    case 'ListMetadataFormats':
      return { content: await formats(repository, request.identifier) };
    case 'ListSets':
      return { content: await answerSets(repository, request.place) };
    case 'GetRecord':
      return { content: await record(deps, repository, request) };
    default:
      return answerList(deps, repository, request);
  }
}

async function formats(repository: OaiRepository, identifier: string | undefined): Promise<Iterable<string>> {
  if (identifier === undefined) return formatsXml(await repository.formats());
  const found = await repository.find(identifier);
  if (!found) throw new OaiRefusal(unknownItem);
  const offered = found.flatMap(({ record, origin }) => origin.format(record.format) ?? []);
  if (offered.length === 0) throw new OaiRefusal(noFormats);
  return formatsXml(offered);
}

async function record(
  deps: OaiDeps,
  repository: OaiRepository,
  { identifier, prefix }: Extract<OaiRequest, { verb: 'GetRecord' }>,
): Promise<Iterable<string>> {
  const found = await repository.find(identifier);
  if (!found)
    throw new OaiRefusal(unknownItem, ...((await repository.hasFormat(prefix)) ? [] : [unknownFormat]));
  const held = found.find(({ record, origin }) => record.format === prefix && origin.format(prefix));
  // Damaged content: the item is there, but not to be had in this format now.
  const [written] = held ? await writeRecords(deps, prefix, [held]) : [];
  if (!written) throw new OaiRefusal(unknownFormat);
  return listXml('GetRecord', [recordXml(written)]);
}
