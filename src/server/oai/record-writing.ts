import { failure, isBridgeError } from '../../core/errors.ts';
import type { OfferedFormat } from '../../oai/lists.ts';
import { embedded } from '../../oai/payload.ts';
import { isIdentifier } from '../../oai/protocol.ts';
import type { OaiRecord, Provenance, RecordHeader } from '../../oai/record.ts';
import { toOaiIdentifier } from '../../oai/record-identifier.ts';
import { statedSets } from '../../oai/set-spec.ts';
import type { StoredRecord } from '../../store/oai/stored-record.ts';
import { type Content, readContents } from '../../store/payloads/contents.ts';
import type { OaiDeps } from './oai-deps.ts';
import type { OaiRepository } from './repository.ts';

export function headerOf({ namespace }: OaiRepository, record: StoredRecord): RecordHeader {
  return {
    identifier: toOaiIdentifier(record.identifier, namespace),
    datestamp: record.at,
    sets: statedSets(record.collections),
    deleted: record.deleted,
  };
}

/** The records in their order, without those whose content is damaged or can stand in no answer: these are logged. */
export async function writeRecords(
  deps: OaiDeps,
  repository: OaiRepository,
  format: OfferedFormat,
  records: readonly StoredRecord[],
): Promise<readonly OaiRecord[]> {
  const living = records.filter(({ deleted }) => !deleted);
  const contents = await readAll(deps, repository, living);
  return records.flatMap((record) => {
    const header = headerOf(repository, record);
    if (record.deleted) return { header, metadata: undefined, provenance: undefined };
    const bytes = contents.get(record);
    if (bytes === undefined) return [];
    const metadata = embedded(bytes, format.schema);
    if (metadata === undefined) {
      leftOut(deps, repository, record, { reason: 'its root element cannot stand in an OAI-PMH response' });
      return [];
    }
    return { header, metadata, provenance: provenanceOf(repository, format, record) };
  });
}

/** One content that is damaged keeps no other from being read. */
async function readAll(
  deps: OaiDeps,
  repository: OaiRepository,
  records: readonly StoredRecord[],
): Promise<ReadonlyMap<StoredRecord, Uint8Array>> {
  const found = new Map<StoredRecord, Uint8Array>();
  let rest = records.filter(({ hash }) => hash !== undefined);
  while (rest.length > 0) {
    let read = 0;
    try {
      for await (const { owner, content } of readContents(deps.database.reader, deps.directory, rest)) {
        found.set(owner, await bytesOf(content));
        read += 1;
      }
      return found;
    } catch (error) {
      const owner = rest[read];
      if (!owner || !isBridgeError(error, 'content-damaged')) throw error;
      leftOut(deps, repository, owner, failure(error));
      rest = rest.slice(read + 1);
    }
  }
  return found;
}

async function bytesOf(content: Content): Promise<Uint8Array> {
  if (content.coding !== 'file') return content.bytes;
  const chunks: Uint8Array[] = [];
  for await (const chunk of content.chunks) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function leftOut(
  { log }: OaiDeps,
  { source }: OaiRepository,
  { identifier, format }: StoredRecord,
  why: object,
): void {
  log.warn({ source, identifier, format, ...why }, 'a record was left out of an OAI-PMH response');
}

/** Of what was harvested by OAI-PMH, and is handed on as it came. */
function provenanceOf(
  { info }: OaiRepository,
  { namespace }: OfferedFormat,
  { identifier, upstreamDatestamp, at }: StoredRecord,
): Provenance | undefined {
  const { baseUrl, protocol, granularity } = info;
  if (protocol !== 'OAI-PMH' || baseUrl === undefined || !isIdentifier(baseUrl)) return undefined;
  if (upstreamDatestamp === undefined || !isIdentifier(identifier)) return undefined;
  const datestamp = granularity === 'day' ? upstreamDatestamp.slice(0, 10) : upstreamDatestamp;
  return { baseUrl, identifier, datestamp, namespace, harvestedAt: at };
}
