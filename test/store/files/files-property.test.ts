import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SourceFile, SourceItem } from '../../../src/core/adapter.ts';
import type { FileRules } from '../../../src/core/files/published-files.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { saveRemoteFiles } from '../../../src/store/files/remote-file-writing.ts';
import { settle } from '../../../src/store/pages/settle.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { type ChangeEntry, listChanges, listResources } from '../../../src/store/reading/listing.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { runs } from '../../house/runs.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const passes = ['xoai', 'mods', 'oai_dc'] as const;
const rules: FileRules = { mode: 'proxy', perItem: 100, verify: true, landingPages: false };

/** The upstream's truth of one item; undefined: deleted. */
interface Truth {
  readonly formats: readonly string[];
  /** Names of files. */
  readonly files: readonly string[];
  readonly body: number;
}

const truth: fc.Arbitrary<Truth | undefined> = fc.option(
  fc.record({
    formats: fc.constantFrom(['mods', 'oai_dc'], ['mods', 'oai_dc'], ['oai_dc'], ['mods']),
    files: fc.subarray(['a.pdf', 'b.pdf', 'c.csv']),
    body: fc.integer({ min: 0, max: 1 }),
  }),
  { nil: undefined, freq: 4 },
);

/** What a run finds: every item's truth, and the files whose servers refuse them from now on. */
const upstream = fc.record({
  items: fc.array(truth, { minLength: 4, maxLength: 4 }),
  refused: fc.subarray(['a.pdf', 'b.pdf']),
});

let sources = 0;

describeOnBoth('whatever happens upstream', (open) => {
  test('metadata and files are linked both ways, each change is told once, and silence makes none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(upstream, { minLength: 1, maxLength: 4 }), async (runs) => {
        const world = await createWorld(open().database);
        for (const run of runs) {
          const changes = await world.run(run.items, run.refused);
          expect(await world.published()).toEqual(expected(world.source, run.items, run.refused));
          for (const [path, kinds] of byPath(changes)) {
            // A format that was expected and did not come takes a link away again.
            if (path.includes('/files/') && kinds.join(' ') === 'created updated') continue;
            expect([path, kinds]).toEqual([path, [kinds[0]]]);
          }
          expect(await world.run(run.items, run.refused)).toEqual([]);
        }
      }),
      { numRuns: runs(12) },
    );
  });
});

function expected(source: string, items: readonly (Truth | undefined)[], refused: readonly string[]) {
  const all: Record<string, string[]> = {};
  for (const [index, item] of items.entries()) {
    if (!item) continue;
    const place = `${source}/items/${index}`;
    const files = item.files
      .filter((name) => !refused.includes(name))
      .map((name) => `${place}/files/${name}`)
      .sort();
    const metadata = item.formats.map((format) => `${place}/${format}.xml`).sort();
    for (const path of metadata) all[path] = files.length > 0 ? files : [`https://x.example/page/${index}`];
    for (const path of files) all[path] = metadata;
  }
  return all;
}

function byPath(changes: readonly ChangeEntry[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path, change } of changes) found.set(path, [...(found.get(path) ?? []), change]);
  return found;
}

async function createWorld(database: Database) {
  sources += 1;
  const source = `world-${sources}`;
  let clock = Date.parse('2026-11-21T10:00:00Z');
  const now = () => ({
    iso: new Date(clock).toISOString().replace('.000Z', 'Z'),
    milliseconds: clock,
  });
  await ensureSource(database, source, now().iso);
  const lease = await acquireLease(database, source, clock);
  const [set] = resourceSets(source);
  if (!set) throw new Error('a source has a set');
  let told = 0;

  async function news(): Promise<ChangeEntry[]> {
    const changes: ChangeEntry[] = [];
    for await (const page of listChanges(database.reader, set as NonNullable<typeof set>, { afterSeq: told }))
      changes.push(...page);
    told = changes.at(-1)?.seq ?? told;
    return changes;
  }

  return {
    source,
    /** One full run over everything; @returns the changes it made */
    async run(items: readonly (Truth | undefined)[], refused: readonly string[]): Promise<ChangeEntry[]> {
      clock += 3_600_000;
      const { sourceId } = lease;
      const startedAt = now().iso;
      const run = await startRun(database.writer, {
        sourceId,
        mode: 'full',
        selection: '{}',
        since: undefined,
        startedAt,
      });
      await saveRemoteFiles(
        database,
        sourceId,
        ['a.pdf', 'b.pdf', 'c.csv'].map((name) => ({
          url: `https://x.example/${name}`,
          outcome: refused.includes(name) ? ('refused' as const) : ('confirmed' as const),
          failures: 0,
        })),
      );
      for (const [index, format] of passes.entries()) {
        const awaited = passes.slice(index + 1);
        const delivered = items.flatMap((item, id) => deliver(String(id), format, item));
        const mapped = delivered.map((item) => mapItem(source, item));
        const page = { items: mapped, problems: [], checkpoint: {}, awaited, files: rules };
        await storePage(database, lease, run, page, now());
      }
      await settle(database, lease, rules, now);
      return news();
    },
    /** Every living resource, with what it describes or is described by. */
    async published(): Promise<Record<string, string[]>> {
      const all: Record<string, string[]> = {};
      for await (const page of listResources(database.reader, set)) {
        for (const { path, links } of page) {
          const targets = links
            .filter(({ rel }) => rel === 'describes' || rel === 'describedby')
            .map(({ href }) => withoutNumber(href))
            .sort();
          all[withoutNumber(path)] = targets;
        }
      }
      return all;
    },
  };
}

/** Which number a file has depends on what was there before it. */
function withoutNumber(path: string): string {
  return path.replace(/\/files\/\d+-/, '/files/');
}

function deliver(identifier: string, format: string, item: Truth | undefined): SourceItem[] {
  const discovery = format === 'xoai';
  const absent = item === undefined || (!discovery && !item.formats.includes(format));
  const files: SourceFile[] = (item?.files ?? []).map((name, index) => ({
    url: `https://x.example/${name}`,
    name,
    sequence: index + 1,
  }));
  return [
    {
      identifier,
      datestamp: '2020-01-01T00:00:00Z',
      collections: [],
      speaksFor: {
        formats: discovery ? [] : [format],
        files: discovery ? { name: format, rank: 10 } : undefined,
      },
      deleted: absent,
      metadata:
        absent || discovery
          ? []
          : [{ format, content: Buffer.from(`<${format}>${identifier} ${item.body}</${format}>`) }],
      files: discovery ? files : [],
      landingPage: `https://x.example/page/${identifier}`,
    },
  ];
}
