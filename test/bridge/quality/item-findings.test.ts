import { expect, test } from 'vitest';
import { judgeItems } from '../../../src/bridge/quality/item-findings.ts';
import { countFindings } from '../../../src/bridge/quality/quality-report.ts';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { parseConfig, type SourceConfig } from '../../../src/core/config/config.ts';
import { crosswalk } from '../../../src/core/crosswalks/crosswalk.ts';
import type { Circumstances } from '../../../src/core/crosswalks/work.ts';
import type { MetadataValue } from '../../../src/core/dspace/dspace-item.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { item, value } from '../../house/core/items.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const now = '2026-11-21T10:00:00Z';
const never = new AbortController().signal;
const formats = ['json', 'jpcoar_2.0'];

function settingsOf(more: object = {}): SourceConfig {
  const source = { adapter: 'dspace', url: 'https://repo.example.org/server/api', formats, ...more };
  const { repo } = parseConfig({ sources: { repo: source } }).sources;
  if (!repo) throw new Error('there is no source');
  return repo;
}

function delivered(
  number: number,
  metadata: readonly MetadataValue[],
  {
    of = formats,
    entityType,
    ...around
  }: Circumstances & { of?: readonly string[]; entityType?: string } = {},
): SourceItem {
  const one = item(metadata, { handle: `10673/${number}`, entityType });
  return {
    identifier: `oai:a:${number}`,
    datestamp: now,
    collections: [],
    speaksFor: { formats: of, files: undefined },
    deleted: false,
    metadata: crosswalk(of, one, around),
    files: [],
  };
}

async function storing(database: Database, name: string) {
  await ensureSource(database, name, now);
  const lease = await acquireLease(database, name, Date.parse(now));
  const store = async (...items: readonly SourceItem[]) => {
    const pass = { sourceId: lease.sourceId, mode: 'full', selection: '{}', since: undefined } as const;
    const run = await startRun(database.writer, { ...pass, startedAt: now });
    const page = { items: items.map((one) => mapItem(name, one)), problems: [], checkpoint: undefined };
    return storePage(database, lease, run, page, { iso: now, milliseconds: Date.parse(now) });
  };
  return { id: lease.sourceId, store };
}

const whole = [
  value('dc.title', 'Snow'),
  value('dc.type', 'Article'),
  value('dc.contributor.author', 'Terada, Torahiko'),
  value('dc.date.issued', '2020'),
  value('dc.language.iso', 'en'),
];
const without = (element: string) => whole.filter((one) => one.element !== element);

describeOnBoth('what records lack', (open) => {
  test('is counted by format and by what it is, with the items', async () => {
    const { database } = open();
    const { id, store } = await storing(database, 'repo');
    const access = 'restricted' as const;
    await store(
      delivered(1, whole, { access }),
      delivered(2, without('language'), { access }),
      delivered(3, without('type'), { access }),
      delivered(4, [...without('date'), value('dc.date.issued', '2020-1')], { access }),
      delivered(5, without('title'), { access, entityType: 'Person' }),
      delivered(6, whole, { access, of: ['json'] }),
    );
    const judged = judgeItems(database, '', { id, settings: settingsOf() }, never);
    expect(await countFindings(judged, 2)).toEqual([
      {
        format: 'jpcoar_2.0',
        items: 5,
        written: 3,
        complete: 1,
        findings: [
          expect.objectContaining({
            kind: 'missing',
            level: 'M',
            element: 'dc:type',
            items: 1,
            examples: ['oai:a:3'],
          }),
          expect.objectContaining({
            kind: 'missing',
            level: 'M',
            element: '(document)',
            examples: ['oai:a:6'],
          }),
          expect.objectContaining({
            kind: 'missing',
            level: 'MA',
            element: 'dc:language',
            examples: ['oai:a:2'],
          }),
          expect.objectContaining({
            kind: 'missing',
            level: 'MA',
            element: 'datacite:date@Issued',
            examples: ['oai:a:4'],
          }),
          expect.objectContaining({ kind: 'dropped', fields: ['dc.date.issued'], examples: ['oai:a:4'] }),
        ],
      },
    ]);
  });

  test('is told of a format that others write, but not what we would have left out of it', async () => {
    const { database } = open();
    const { id, store } = await storing(database, 'mixed');
    const all = [...formats, 'oai_openaire'];
    const dated = [...without('date'), value('dc.date.issued', '2020-1')];
    await store(delivered(1, dated, { of: all, access: 'restricted' }));
    const settings = settingsOf({ formats: [...formats, { name: 'oai_openaire', from: 'oai' }] });
    const found = await countFindings(judgeItems(database, '', { id, settings }, never), 0);
    const kinds = found.map(({ format, findings }) => [format, new Set(findings.map(({ kind }) => kind))]);
    expect(kinds).toEqual([
      ['jpcoar_2.0', new Set(['missing', 'dropped'])],
      ['oai_openaire', new Set(['missing'])],
    ]);
  });

  test('is known of records that others have written', async () => {
    const { database } = open();
    const { id, store } = await storing(database, 'weko');
    const written =
      crosswalk(['jpcoar_2.0'], item(without('contributor')), {})[0]?.content ?? Buffer.alloc(0);
    const content = Buffer.from(
      Buffer.from(written).toString().replaceAll('schema/blob/master/2.0/', 'schema/blob/master/1.0/'),
    );
    const of = ['jpcoar_1.0'];
    await store({
      ...delivered(1, whole, { of: [] }),
      speaksFor: { formats: of, files: undefined },
      metadata: [{ format: 'jpcoar_1.0', content }],
    });
    const settings = settingsOf({ adapter: 'oai-pmh', url: 'https://weko.example.org/oai', formats: of });
    const [quality] = await countFindings(judgeItems(database, '', { id, settings }, never), 0);
    expect(quality).toMatchObject({ format: 'jpcoar_1.0', items: 1, written: 1, complete: 0 });
    expect(quality?.findings.map(({ element }) => element)).toEqual([
      'jpcoar:creator',
      'dcterms:accessRights',
    ]);
  });
});

describeOnBoth('another way of writing', (open) => {
  test('changes what it writes, and only that', async () => {
    const { database } = open();
    const { store } = await storing(database, 'again');
    const own = [...whole, value('dc.local.ndc', '913.6')];
    const all = (around: Circumstances = {}) => [
      delivered(1, whole, around),
      delivered(2, own, around),
      delivered(3, whole, around),
    ];
    expect(await store(...all())).toMatchObject({ created: 6, updated: 0 });
    expect(await store(...all())).toMatchObject({ created: 0, updated: 0 });
    const localFields = { 'dc.local.ndc': 'subject:NDC' };
    expect(await store(...all({ localFields }))).toMatchObject({ created: 0, updated: 1, deleted: 0 });
  });
});
