import type { Problem, SourceItem } from '../../src/core/adapter.ts';
import { parseDatestamp } from '../../src/core/datetime.ts';
import { type DeclaredFormat, profileOf } from './formats.ts';
import { landingPage } from './landing-page.ts';
import type { CutRecord } from './record-parser.ts';
import { requestUrl } from './request.ts';

/** What is needed to tell a record's place. */
export interface RecordOrigin {
  readonly url: string;
  readonly format: string;
  readonly declared: readonly DeclaredFormat[];
}

export interface ReadRecord {
  readonly item: SourceItem | undefined;
  readonly problem: Problem | undefined;
}

/** A record as an item, or what is wrong with it; repaired ones are both. */
export function readRecord(record: CutRecord, origin: RecordOrigin): ReadRecord {
  const { identifier } = record;
  const place = { format: origin.format, ...(identifier === '' ? {} : { identifier }) };
  const name = identifier === '' ? 'A record' : `The record ${identifier}`;
  if (record.quarantine !== undefined || identifier === '') {
    const reason = record.quarantine ?? 'its header states no identifier';
    return refused({ ...place, code: 'record-quarantined', message: `${name} cannot be read: ${reason}.` });
  }
  if (!record.deleted && record.payload === undefined) {
    const message = `${name} is neither deleted nor has it metadata.`;
    return refused({ ...place, code: 'record-without-metadata', message });
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

function toItem(record: CutRecord, { url, format, declared }: RecordOrigin): SourceItem {
  const { identifier, deleted } = record;
  // The status wins over metadata that is still there (quirk 60).
  const payload = deleted ? undefined : record.payload;
  const page = payload && landingPage(payload.namespace, payload.content);
  const profile = payload && profileOf(payload.namespace, format, declared);
  return {
    identifier,
    datestamp: parseDatestamp(record.datestamp),
    collections: record.setSpecs,
    speaksFor: { formats: [format], files: undefined },
    deleted,
    metadata:
      payload === undefined
        ? []
        : [
            {
              format,
              content: payload.content,
              ...(profile === undefined ? {} : { profile }),
              upstreamUrl: requestUrl(url, 'GetRecord', { identifier, metadataPrefix: format }),
            },
          ],
    files: [],
    ...(page === undefined ? {} : { landingPage: page }),
  };
}
