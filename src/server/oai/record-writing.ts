import { failure, isBridgeError } from '../../core/errors.ts';
import type { OfferedFormat } from '../../oai/lists.ts';
import { embedded } from '../../oai/payload.ts';
import { isIdentifier } from '../../oai/protocol.ts';
import type { OaiRecord, Provenance, RecordHeader } from '../../oai/record.ts';
import { toOaiIdentifier } from '../../oai/record-identifier.ts';
import type { StoredRecord } from '../../store/oai/stored-record.ts';
import { type Content, readContents } from '../../store/payloads/contents.ts';
import { writeMaps } from './map-writing.ts';
import type { OaiDeps } from './oai-deps.ts';
import type { HeldRecord, RecordOrigin } from './repository.ts';

export function headerOf({ record, origin }: HeldRecord): RecordHeader {
  return {
    identifier: toOaiIdentifier(record.identifier, origin.namespace),
    datestamp: record.at,
    sets: origin.statedSets(record),
    deleted: record.deleted,
  };
}

/** The records in their order, without those whose content is damaged or can stand in no answer: these are logged. */
export async function writeRecords(
  deps: OaiDeps,
  prefix: string,
  held: readonly HeldRecord[],
): Promise<readonly OaiRecord[]> {
  const contents = await readAll(deps, held);
  const maps = await writeMaps(deps, held);
  return held.flatMap((one) => {
    const { record, origin } = one;
    const header = headerOf(one);
    if (record.deleted) return { header, metadata: undefined, provenance: undefined };
    const bytes = record.whole ? maps.get(record) : contents.get(record);
    const format = origin.format(prefix);
    if (bytes === undefined || !format) return [];
    const metadata = embedded(bytes, format.schema);
    if (metadata === undefined) {
      leftOut(deps, one, { reason: 'its root element cannot stand in an OAI-PMH response' });
      return [];
    }
    const provenance = record.whole ? undefined : provenanceOf(origin, format, record);
    return { header, metadata, provenance };
  });
}

/** One content that is damaged keeps no other from being read. */
async function readAll(
  deps: OaiDeps,
  held: readonly HeldRecord[],
): Promise<ReadonlyMap<StoredRecord, Uint8Array>> {
  const found = new Map<StoredRecord, Uint8Array>();
  let rest = held.filter(({ record }) => !record.deleted && record.hash !== undefined);
  while (rest.length > 0) {
    let read = 0;
    try {
      const owners = rest.map(({ record }) => record);
      for await (const { owner, content } of readContents(deps.database.reader, deps.directory, owners)) {
        found.set(owner, await bytesOf(content));
        read += 1;
      }
      return found;
    } catch (error) {
      const one = rest[read];
      if (!one || !isBridgeError(error, 'content-damaged')) throw error;
      leftOut(deps, one, failure(error));
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
  { origin: { source }, record: { identifier, format } }: HeldRecord,
  why: object,
): void {
  log.warn({ source, identifier, format, ...why }, 'a record was left out of an OAI-PMH response');
}

/** Of what was harvested by OAI-PMH, and is handed on as it came. */
function provenanceOf(
  { info }: RecordOrigin,
  { namespace }: OfferedFormat,
  { identifier, upstreamDatestamp, at }: StoredRecord,
): Provenance | undefined {
  if (!info) return undefined;
  const { baseUrl, protocol, granularity } = info;
  if (protocol !== 'OAI-PMH' || baseUrl === undefined || !isIdentifier(baseUrl)) return undefined;
  if (upstreamDatestamp === undefined || !isIdentifier(identifier)) return undefined;
  const datestamp = granularity === 'day' ? upstreamDatestamp.slice(0, 10) : upstreamDatestamp;
  return { baseUrl, identifier, datestamp, namespace, harvestedAt: at };
}
