import type {
  Adapter,
  IdentifierEntry,
  Page,
  Problem,
  RepositoryInfo,
  SourceItem,
} from '../../../src/core/adapter.ts';
import { BridgeError } from '../../../src/core/errors.ts';

/** An upstream in memory whose lists and single answers may contradict each other, as real ones do. */
export interface FakeUpstream {
  /** What is there when it is asked for: identifier → formats → body. */
  readonly items: Map<string, Map<string, string>>;
  /** What the lists leave out, or only the list of a format: `id` or `id format`. */
  readonly unlisted: Set<string>;
  /** Those of them that are said to be left out, without a reason, when they are asked for. */
  readonly unaccounted: Set<string>;
  /** Asking for it alone ends in an error. */
  readonly broken: Set<string>;
  /** Asking for it alone ends in an error, and the upstream is known to answer otherwise. */
  readonly unclear: Set<string>;
  /** Tombstones: listed, and given when asked for. */
  readonly tombstones: Set<string>;
  /** By identifier; default: none. */
  readonly collections: Map<string, readonly string[]>;
  deletedRecords: RepositoryInfo['deletedRecords'];
  triage: RepositoryInfo['triage'];
  readonly formats: readonly string[];
  /** In which identifiers are listed; default: all. */
  listedFormats: readonly string[];
  /** Of the list of identifiers, on its first page. */
  problems: readonly Problem[];
  /** The list of identifiers breaks off at this page (from 0), once. */
  failAt: number | undefined;
  /** It can be asked how many items it lists. */
  counts: boolean;
  /** Every identifier that was asked for. */
  readonly asked: string[];
  /** Checkpoints with which the list of identifiers was begun. */
  readonly begun: unknown[];
}

export function fakeUpstream(count: number, formats: readonly string[] = ['oai_dc']): FakeUpstream {
  const items = Array.from(
    { length: count },
    (_, index) => [`id:${index}`, new Map(formats.map((format) => [format, `${index}`]))] as const,
  );
  return {
    items: new Map(items),
    unlisted: new Set(),
    unaccounted: new Set(),
    broken: new Set(),
    unclear: new Set(),
    tombstones: new Set(),
    collections: new Map(),
    deletedRecords: 'no',
    triage: undefined,
    formats,
    listedFormats: formats,
    problems: [],
    failAt: undefined,
    counts: false,
    asked: [],
    begun: [],
  };
}

const pageSize = 10;

export function adapterOf(upstream: FakeUpstream): Adapter {
  return {
    identify: async () => ({
      name: 'Upstream',
      protocol: 'test',
      protocolVersion: '1',
      deletedRecords: upstream.deletedRecords,
      granularity: 'second',
      formats: upstream.formats.map((name) => ({ name, selected: true, offered: true })),
      ...(upstream.triage && { triage: upstream.triage }),
    }),
    async *collections() {},
    async item(identifier) {
      upstream.asked.push(identifier);
      if (upstream.broken.has(identifier)) throw new BridgeError('upstream-status', 'it answered 500');
      if (upstream.unclear.has(identifier))
        throw new BridgeError('upstream-status', 'it answered 404', { concernsItem: true });
      if (upstream.tombstones.has(identifier)) return tombstone(identifier, upstream.formats);
      const formats = upstream.items.get(identifier);
      if (!formats) return undefined;
      const unlisted = upstream.unaccounted.has(identifier);
      return { ...toItem(upstream, identifier, [...formats]), ...(unlisted && { unlisted }) };
    },
    async count() {
      if (!upstream.counts) return undefined;
      return new Set(listed(upstream).map(({ identifier }) => identifier)).size;
    },
    async *identifiers({ checkpoint }) {
      upstream.begun.push(checkpoint);
      const start = Number(checkpoint?.next ?? 0);
      const entries = listed(upstream);
      for (let next = start; next < entries.length || next === start; next += pageSize) {
        if (upstream.failAt !== undefined && next / pageSize >= upstream.failAt) {
          upstream.failAt = undefined;
          throw new BridgeError('upstream-cut-off', 'the page ended early', { retryable: true });
        }
        const page = entries.slice(next, next + pageSize);
        yield {
          format: page[0]?.format ?? 'oai_dc',
          entries: page,
          checkpoint: { next: next + pageSize },
          problems: next === 0 ? upstream.problems : [],
        };
      }
    },
    async *pages({ mode }): AsyncGenerator<Page> {
      // An index that lags: of what came after the full pass it knows nothing.
      if (mode === 'incremental') return;
      for (const format of upstream.formats) {
        const items = [...upstream.items].flatMap(([identifier, formats]) => {
          const body = formats.get(format);
          const left = upstream.unlisted.has(identifier) || upstream.unlisted.has(`${identifier} ${format}`);
          return body === undefined || left ? [] : [toItem(upstream, identifier, [[format, body]])];
        });
        yield { items, checkpoint: { format }, problems: [], asOf: '2026-11-21T09:59:58Z' };
      }
    },
  };
}

function listed(upstream: FakeUpstream): (IdentifierEntry & { format: string })[] {
  const entry = (identifier: string, format: string, deleted: boolean) => ({
    format,
    identifier,
    datestamp: undefined,
    collections: [],
    deleted,
  });
  return upstream.listedFormats.flatMap((format) => [
    ...[...upstream.items].flatMap(([identifier, formats]) =>
      formats.has(format) && !upstream.unlisted.has(identifier) ? [entry(identifier, format, false)] : [],
    ),
    ...[...upstream.tombstones].map((identifier) => entry(identifier, format, true)),
  ]);
}

function toItem(
  upstream: FakeUpstream,
  identifier: string,
  formats: readonly (readonly [string, string])[],
): SourceItem {
  return {
    identifier,
    datestamp: '2020-01-01T00:00:00Z',
    collections: upstream.collections.get(identifier) ?? [],
    speaksFor: { formats: formats.map(([format]) => format), files: undefined },
    deleted: false,
    metadata: formats.map(([format, body]) => ({
      format,
      content: Buffer.from(`<${format}>${body}</${format}>`),
    })),
    files: [],
  };
}

function tombstone(identifier: string, formats: readonly string[]): SourceItem {
  return {
    identifier,
    datestamp: '2026-11-20T00:00:00Z',
    collections: [],
    speaksFor: { formats, files: undefined },
    deleted: true,
    metadata: [],
    files: [],
  };
}
