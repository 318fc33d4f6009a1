import type { SourceItem, SourceMetadata } from '../../../src/core/adapter.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { hasError, toBridgeError } from '../endpoint/oai-errors.ts';
import type { FormatUse } from '../windows/passes.ts';
import { clause } from '../wire/clause.ts';
import { ListResponse } from '../wire/list-response.ts';
import type { CutRecord } from '../wire/record-parser.ts';
import { readRecord } from './source-item.ts';

/**
 * One item in the given formats; undefined when the repository knows it in none of them.
 * @throws BridgeError `upstream-not-xml` where it came, but cannot be read; others where it did not come
 */
export async function getRecord(
  endpoint: Endpoint,
  identifier: string,
  uses: readonly FormatUse[],
  signal: AbortSignal,
): Promise<SourceItem | undefined> {
  const found: FoundItem[] = [];
  const absent: string[] = [];
  for (const { format, publishes, findsFiles } of uses) {
    const record = await requestRecord(endpoint, identifier, format, signal);
    if (record === 'unknown') continue;
    if (record === 'not in this format') {
      if (publishes) absent.push(format);
      continue;
    }
    const { item, problem } = readRecord(record, {
      url: endpoint.url,
      format,
      publishes,
      findsFiles,
    });
    if (item !== undefined) found.push({ item, publishes });
    else
      throw new BridgeError(
        'upstream-not-xml',
        problem === undefined ? `${identifier} cannot be read` : clause(problem.message),
      );
  }
  return merge(found, absent);
}

/**
 * One record as it is.
 * @param patience how often it is asked for before it counts as failed
 * @throws BridgeError `upstream-status` and the like where the repository failed: that says nothing about the item
 */
export async function requestRecord(
  endpoint: Endpoint,
  identifier: string,
  metadataPrefix: string,
  signal: AbortSignal,
  patience?: number,
): Promise<CutRecord | 'unknown' | 'not in this format'> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const list = new ListResponse(
        await endpoint.request('GetRecord', { metadataPrefix, identifier }, signal),
      );
      let record: CutRecord | undefined;
      for await (const [first] of list) record ??= first;
      const { errors } = list.envelope;
      endpoint.answered();
      if (record !== undefined) return record;
      if (hasError(errors, 'idDoesNotExist') || hasError(errors, 'noRecordsMatch')) return 'unknown';
      if (hasError(errors, 'cannotDisseminateFormat')) return 'not in this format';
      if (errors.length > 0) throw toBridgeError(errors);
      throw new BridgeError('upstream-protocol', `${endpoint.url} answered GetRecord without a record`);
    } catch (error) {
      await endpoint.beforeRetry(attempt, error, signal, patience);
    }
  }
}

interface FoundItem {
  readonly item: SourceItem;
  readonly publishes: boolean;
}

/**
 * What is deleted in one format may live in another; the item is gone when it lives in none.
 * Of the formats that know files, the most trustworthy one that has any is believed.
 */
function merge(all: readonly FoundItem[], absent: readonly string[]): SourceItem | undefined {
  const published = all.filter(({ publishes }) => publishes).map(({ item }) => item);
  const [first] = published.length > 0 || absent.length === 0 ? published : all.map(({ item }) => item);
  if (first === undefined) return undefined;
  const found = all.map(({ item }) => item);
  const live = published.filter(({ deleted }) => !deleted);
  const metadata: readonly SourceMetadata[] = live.flatMap((item) => item.metadata);
  const landingPage = live.find((item) => item.landingPage !== undefined)?.landingPage;
  const origins = found
    .filter(({ speaksFor }) => speaksFor.files !== undefined)
    .sort((a, b) => (a.speaksFor.files?.rank ?? 0) - (b.speaksFor.files?.rank ?? 0));
  const origin = origins.find(({ files }) => files.length > 0) ?? origins[0];
  return {
    ...(live[0] ?? first),
    collections: [...new Set(found.flatMap(({ collections }) => collections))],
    speaksFor: {
      formats: [...found.flatMap(({ speaksFor }) => speaksFor.formats), ...absent],
      files: origin?.speaksFor.files,
    },
    deleted: live.length === 0,
    metadata,
    files: origin?.files ?? [],
    ...(landingPage === undefined ? {} : { landingPage }),
  };
}
