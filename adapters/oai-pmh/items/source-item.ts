import type {
  FileOrigin,
  Problem,
  SourceFile,
  SourceItem,
  SourceMetadata,
} from '../../../src/core/adapter.ts';
import { parseDatestamp } from '../../../src/core/datetime.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { profileOf } from '../endpoint/formats.ts';
import { requestUrl } from '../endpoint/request.ts';
import { findFiles } from '../files/index.ts';
import { dspaceServerBase, mapDownloadUrl } from '../files/reading/download-url.ts';
import type { CutRecord, Payload } from '../wire/record-parser.ts';
import { landingPage } from './landing-page.ts';

/** What is needed to tell a record's place, and what it is harvested for. */
export interface RecordOrigin {
  readonly url: string;
  readonly format: string;
  /** False: the format is harvested for its files only. */
  readonly publishes: boolean;
  readonly findsFiles: boolean;
}

/** Of an origin that has no files to believe or not to believe. */
const noFilesRank = 100;

export interface ReadRecord {
  readonly item: SourceItem | undefined;
  readonly problem: Problem | undefined;
}

/** A record as an item, or what is wrong with it; repaired ones are both. */
export function readRecord(record: CutRecord, origin: RecordOrigin): ReadRecord {
  const { identifier } = record;
  const place = {
    format: origin.format,
    ...(identifier === '' ? {} : { identifier }),
  };
  const raw = record.raw === undefined ? {} : { raw: record.raw };
  const name = identifier === '' ? 'A record' : `The record ${identifier}`;
  if (record.quarantine !== undefined || identifier === '') {
    const reason = record.quarantine ?? 'its header states no identifier';
    const message =
      identifier === ''
        ? say('nameless-record-unreadable', { why: reason })
        : say('record-unreadable', { identifier, why: reason });
    const repairs = record.repairs.size === 0 ? {} : { repairs: [...record.repairs] };
    return refused({ ...place, ...raw, ...repairs, code: 'record-quarantined', message });
  }
  if (!record.deleted && record.payload === undefined) {
    const message = say('record-without-metadata', { identifier });
    return refused({ ...place, ...raw, code: 'record-without-metadata', message });
  }
  const problem: Problem | undefined =
    record.repairs.size === 0
      ? undefined
      : {
          ...place,
          code: 'record-repaired',
          message: `${name} was repaired: ${[...record.repairs].join('; ')}.`,
        };
  return { item: toItem(record, origin), problem };
}

function refused(problem: Problem): ReadRecord {
  return { item: undefined, problem };
}

function toItem(record: CutRecord, origin: RecordOrigin): SourceItem {
  const { identifier, deleted } = record;
  const { format, publishes } = origin;
  // The status wins over metadata that is still there (quirk 60).
  const payload = deleted ? undefined : record.payload;
  const page = payload && landingPage(payload.namespace, payload.content);
  const { files, speaksFor } = filesOf(payload, origin);
  return {
    identifier,
    datestamp: parseDatestamp(record.datestamp),
    collections: record.setSpecs,
    speaksFor: { formats: publishes ? [format] : [], files: speaksFor },
    deleted,
    metadata: payload === undefined || !publishes ? [] : [metadataOf(identifier, payload, origin)],
    files,
    ...(page === undefined ? {} : { landingPage: page }),
  };
}

function metadataOf(
  identifier: string,
  { namespace, content }: Payload,
  { url, format }: RecordOrigin,
): SourceMetadata {
  const profile = profileOf(namespace, format);
  return {
    format,
    content,
    ...(profile === undefined ? {} : { profile }),
    upstreamUrl: requestUrl(url, 'GetRecord', { identifier, metadataPrefix: format }),
  };
}

/** What this format knows of the item's files; of a deleted record, that there are none any more. */
function filesOf(
  payload: Payload | undefined,
  { url, format, findsFiles }: RecordOrigin,
): { readonly files: readonly SourceFile[]; readonly speaksFor: FileOrigin | undefined } {
  if (!findsFiles) return { files: [], speaksFor: undefined };
  if (payload === undefined) return { files: [], speaksFor: { name: format, rank: noFilesRank } };
  const found = findFiles(payload.namespace, payload.content);
  if (found === undefined) return { files: [], speaksFor: undefined };
  const serverBase = dspaceServerBase(url);
  const files =
    serverBase === undefined
      ? found.files
      : found.files.map((file) => ({ ...file, url: mapDownloadUrl(file.url, serverBase) }));
  return { files, speaksFor: { name: format, rank: found.rank } };
}
