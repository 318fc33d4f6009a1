import type { Adapter, Page, SourceFile, SourceItem } from '../../../src/core/adapter.ts';

/** A record as its repository keeps it. */
export interface TimedRecord {
  readonly identifier: string;
  /** What it says that it was changed; undefined: nothing. */
  readonly datestamp: string | undefined;
  readonly collections: readonly string[];
  /** Texts by format: it exists in those that have one. */
  readonly texts: Readonly<Record<string, string>>;
  /** It names a file, which may not have been copied yet. */
  readonly hasFile: boolean;
  /** Undefined: it lives. Else whether incremental lists tell of it. */
  readonly deleted: 'told' | 'untold' | undefined;
}

export const formats = ['oai_dc', 'mods'] as const;
export const collections = ['theses', 'theses:phd', 'papers'] as const;
const fileOrigin = { name: 'house', rank: 10 };
const recordsPerPage = 2;

export function fileUrl(identifier: string): string {
  return `https://upstream.example.org/files/${encodeURIComponent(identifier)}.pdf`;
}

function filesOf({ identifier, hasFile }: TimedRecord): readonly SourceFile[] {
  return hasFile ? [{ url: fileUrl(identifier), name: 'a.pdf', sequence: 1 }] : [];
}

/** A repository in the process itself: its lists are honest, and come in small pages. */
export class TimedRepository implements Adapter {
  readonly records = new Map<string, TimedRecord>();
  /** Pages that were read, in their order. */
  readonly read: Page[] = [];
  /** Format by format, as OAI-PMH has them; else each item comes whole. */
  readonly #separately: boolean;
  readonly #untold = new Set<string>();

  constructor(separately: boolean) {
    this.#separately = separately;
  }

  put(record: TimedRecord): void {
    this.records.set(record.identifier, record);
    this.#untold.add(record.identifier);
  }

  async identify() {
    const found = formats.map((name) => ({ name, selected: true, offered: true }));
    const protocol = { protocol: 'OAI-PMH', protocolVersion: '2.0' };
    return {
      ...protocol,
      name: 'House',
      deletedRecords: 'transient',
      granularity: 'second',
      formats: found,
    } as const;
  }

  async *collections() {
    for (const spec of collections) yield { spec, name: spec };
  }

  async *pages({ mode }: { readonly mode: 'full' | 'incremental' }): AsyncGenerator<Page> {
    const listed = [...this.records.values()].filter(
      ({ identifier, deleted }) => deleted !== 'untold' && (mode === 'full' || this.#untold.has(identifier)),
    );
    this.#untold.clear();
    for (const [index, format] of (this.#separately ? formats : [undefined]).entries()) {
      for (let start = 0; start === 0 || start < listed.length; start += recordsPerPage) {
        const some = listed.slice(start, start + recordsPerPage);
        const page: Page = {
          items: some.flatMap((record) => toItem(record, format) ?? []),
          checkpoint: { format: index, start },
          problems: [],
          awaited: format === undefined ? [] : formats.slice(index + 1),
        };
        this.read.push(page);
        yield page;
      }
    }
  }

  async item(identifier: string): Promise<SourceItem | undefined> {
    const record = this.records.get(identifier);
    return record && record.deleted === undefined ? toItem(record, undefined) : undefined;
  }

  async *identifiers(): AsyncGenerator<never> {
    yield* [];
  }
}

/** @param only of an item that comes format by format; undefined: whole */
function toItem(record: TimedRecord, only: string | undefined): SourceItem {
  const { identifier, datestamp, texts } = record;
  const deleted = record.deleted !== undefined;
  const spoken = only === undefined ? [...formats] : [only];
  return {
    identifier,
    datestamp,
    collections: record.collections,
    speaksFor: { formats: spoken, files: only === undefined ? fileOrigin : undefined },
    deleted: deleted || spoken.every((format) => texts[format] === undefined),
    metadata: deleted
      ? []
      : spoken.flatMap((format) => {
          const text = texts[format];
          return text === undefined ? [] : [{ format, content: Buffer.from(text) }];
        }),
    files: deleted || only !== undefined ? [] : filesOf(record),
    complete: only === undefined,
  };
}
