import type { SourceItem, SourceMetadata } from '../../src/core/adapter.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { clause } from './clause.ts';
import type { Endpoint } from './endpoint.ts';
import type { DeclaredFormat } from './formats.ts';
import { ListResponse } from './list-response.ts';
import { hasError, toBridgeError } from './oai-errors.ts';
import type { CutRecord } from './record-parser.ts';
import { readRecord } from './source-item.ts';

/** One item in the given formats; undefined when the repository knows it in none of them. */
export async function getRecord(
  endpoint: Endpoint,
  identifier: string,
  formats: readonly string[],
  declared: readonly DeclaredFormat[],
  signal: AbortSignal,
): Promise<SourceItem | undefined> {
  const found: SourceItem[] = [];
  const absent: string[] = [];
  for (const format of formats) {
    const record = await requestRecord(endpoint, identifier, format, signal);
    if (record === 'unknown') continue;
    if (record === 'not in this format') {
      absent.push(format);
      continue;
    }
    const { item, problem } = readRecord(record, { url: endpoint.url, format, declared });
    if (item !== undefined) found.push(item);
    else
      throw new BridgeError(
        'upstream-not-xml',
        problem === undefined ? `${identifier} cannot be read` : clause(problem.message),
      );
  }
  return merge(found, absent);
}

async function requestRecord(
  endpoint: Endpoint,
  identifier: string,
  metadataPrefix: string,
  signal: AbortSignal,
): Promise<CutRecord | 'unknown' | 'not in this format'> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const list = new ListResponse(
        await endpoint.request('GetRecord', { metadataPrefix, identifier }, signal),
      );
      let record: CutRecord | undefined;
      for await (const [first] of list) record ??= first;
      const { errors } = list.envelope;
      if (record !== undefined) return record;
      if (hasError(errors, 'idDoesNotExist') || hasError(errors, 'noRecordsMatch')) return 'unknown';
      if (hasError(errors, 'cannotDisseminateFormat')) return 'not in this format';
      if (errors.length > 0) throw toBridgeError(errors);
      throw new BridgeError('upstream-protocol', `${endpoint.url} answered GetRecord without a record`);
    } catch (error) {
      await endpoint.beforeRetry(attempt, error, signal);
    }
  }
}

/** What is deleted in one format may live in another. */
function merge(found: readonly SourceItem[], absent: readonly string[]): SourceItem | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  const live = found.filter(({ deleted }) => !deleted);
  const metadata: readonly SourceMetadata[] = live.flatMap((item) => item.metadata);
  const landingPage = live.find((item) => item.landingPage !== undefined)?.landingPage;
  return {
    ...(live[0] ?? first),
    collections: [...new Set(found.flatMap(({ collections }) => collections))],
    speaksFor: {
      formats: [...found.flatMap(({ speaksFor }) => speaksFor.formats), ...absent],
      files: undefined,
    },
    deleted: live.length === 0,
    metadata,
    ...(landingPage === undefined ? {} : { landingPage }),
  };
}
