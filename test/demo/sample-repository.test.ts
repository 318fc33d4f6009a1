import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XmlBufferInputProvider, XmlDocument, XsdValidator, xmlRegisterInputProvider } from 'libxml2-wasm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAdapter } from '../../adapters/index.ts';
import type { Page, PageRequest, SourceItem } from '../../src/core/adapter.ts';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';
import { createContext } from '../house/adapters/http-double.ts';
import { sharedMaterial } from '../house/adapters/shared-material.ts';

const signal = new AbortController().signal;
let now = new Date('2026-11-21T12:00:00Z');
const clock = { now: () => now, sleep: async () => {} };
let repository: SampleRepository;
let url: string;

beforeEach(async () => {
  now = new Date('2026-11-21T12:00:00Z');
  repository = createSampleRepository({ clock, seed: 7 });
  url = (await repository.listen()).url;
});

afterEach(() => repository.close());

async function harvest(request: PageRequest, formats?: readonly string[]) {
  const adapter = createAdapter(
    'oai-pmh',
    { url, overlapSeconds: 5, requestsPerHost: 1, files: undefined, formats },
    createContext(),
  );
  const pages: Page[] = [];
  for await (const page of adapter.pages(request, signal)) pages.push(page);
  const items: SourceItem[] = pages.flatMap((page) => page.items);
  return { adapter, pages, items, problems: pages.flatMap((page) => page.problems) };
}

const ask = async (query: string) => (await fetch(`${url}?${query}`)).text();
const errorOf = async (query: string) => /<error code="(\w+)"/.exec(await ask(query))?.[1];

describe('The sample repository, harvested by our own adapter', () => {
  test('delivers every record in every format', async () => {
    const { items, problems, adapter, pages } = await harvest({ mode: 'full' });
    expect(problems).toEqual([]);
    expect(items).toHaveLength(900);
    expect(items.filter(({ deleted }) => deleted)).toHaveLength(36);
    expect(new Set(items.map(({ identifier }) => identifier)).size).toBe(300);
    expect(new Set(items.flatMap(({ metadata }) => metadata.map(({ format }) => format)))).toEqual(
      new Set(['oai_dc', 'jpcoar_2.0', 'mods']),
    );
    expect(pages).toHaveLength(18);
    expect(pages[0]).toMatchObject({ asOf: '2026-11-21T12:00:00Z', expectedTotal: 900 });
    const withPage = items.filter(({ landingPage }) => landingPage !== undefined);
    expect(withPage.length).toBeGreaterThan(400);
    expect(withPage[0]?.landingPage).toBe(new URL('/records/1000', url).href);
    const text = items.map(({ metadata }) => Buffer.from(metadata[0]?.content ?? []).toString()).join('');
    for (const sign of ['𠮷', '𠮟', '🐙', 'ه', 'Ω'.toLowerCase(), 'щ', 'म', 'Fog &amp; Its Uses'])
      expect(text).toContain(sign);
    expect(await adapter.identify(signal)).toMatchObject({
      deletedRecords: 'persistent',
      granularity: 'second',
      earliestDatestamp: '2019-04-01T09:00:00Z',
    });
  });

  test('lists its sets', async () => {
    const adapter = createAdapter(
      'oai-pmh',
      { url, overlapSeconds: 5, requestsPerHost: 1, files: undefined },
      createContext(),
    );
    const specs: string[] = [];
    for await (const { spec } of adapter.collections(signal)) specs.push(spec);
    expect(specs).toContain('faculty:letters');
  });

  test('gives single items, however awkward their identifiers are', async () => {
    const { items, adapter } = await harvest({ mode: 'full' }, ['oai_dc', 'mods']);
    for (const identifier of items
      .slice(0, 210)
      .filter(({ deleted }) => !deleted)
      .map((item) => item.identifier)) {
      if (/\d{4}$/.test(identifier)) continue;
      const item = await adapter.item(identifier, signal);
      expect(item).toMatchObject({ identifier, speaksFor: { formats: ['oai_dc', 'mods'] } });
    }
    expect(await adapter.item('oai:sample.example.org:none', signal)).toBeUndefined();
  });

  test('shows its edits to an incremental harvest, and nothing else', async () => {
    const first = await harvest({ mode: 'full' }, ['oai_dc']);
    const since = first.pages[0]?.asOf;
    now = new Date('2026-11-21T13:00:00Z');
    const edits = Array.from({ length: 12 }, () => repository.edit());
    expect(new Set(edits.map(({ kind }) => kind))).toEqual(new Set(['edited', 'added', 'deleted']));
    const second = await harvest({ mode: 'incremental', since }, ['oai_dc']);
    expect(new Set(second.items.map(({ identifier }) => identifier))).toEqual(
      new Set(edits.map(({ identifier }) => identifier)),
    );
    const gone = edits.find(({ kind }) => kind === 'deleted')?.identifier;
    expect(second.items.find(({ identifier }) => identifier === gone)).toMatchObject({ deleted: true });
    now = new Date('2026-11-21T14:00:00Z');
    const third = await harvest({ mode: 'incremental', since: '2026-11-21T13:30:00Z' }, ['oai_dc']);
    expect(third.items).toEqual([]);
  });

  test('makes the same edits again from the same seed', () => {
    const twin = createSampleRepository({ clock, seed: 7 });
    const edits = (of: SampleRepository) => Array.from({ length: 20 }, () => of.edit());
    expect(edits(twin)).toEqual(edits(repository));
  });
});

describe('The sample repository, asked badly', () => {
  test.each([
    ['', 'badVerb'],
    ['verb=Nonsense', 'badVerb'],
    ['verb=Identify&verb=Identify', 'badVerb'],
    ['verb=Identify&set=a', 'badArgument'],
    ['verb=ListRecords', 'badArgument'],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=yesterday', 'badArgument'],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-01&until=2020-01-01T00:00:00Z', 'badArgument'],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-02&until=2020-01-01', 'badArgument'],
    ['verb=ListRecords&metadataPrefix=marc', 'cannotDisseminateFormat'],
    ['verb=ListRecords&metadataPrefix=oai_dc&set=none', 'noRecordsMatch'],
    ['verb=ListRecords&resumptionToken=x.y', 'badResumptionToken'],
    ['verb=ListSets&resumptionToken=x', 'badResumptionToken'],
    ['verb=GetRecord&metadataPrefix=oai_dc&identifier=none', 'idDoesNotExist'],
    ['verb=ListMetadataFormats&identifier=none', 'idDoesNotExist'],
  ])('answers ?%s with %s', async (query, code) => {
    expect(await errorOf(query)).toBe(code);
  });

  test('lets a token expire after an hour', async () => {
    const token = /<resumptionToken[^>]*>([^<]+)</.exec(
      await ask('verb=ListIdentifiers&metadataPrefix=mods'),
    )?.[1];
    expect(await errorOf(`verb=ListIdentifiers&resumptionToken=${token}`)).toBeUndefined();
    expect(await errorOf(`verb=ListRecords&resumptionToken=${token}`)).toBe('badResumptionToken');
    now = new Date('2026-11-21T13:00:01Z');
    expect(await errorOf(`verb=ListIdentifiers&resumptionToken=${token}`)).toBe('badResumptionToken');
  });

  test('selects by set and date', async () => {
    const headers = async (query: string) =>
      (await ask(`verb=ListIdentifiers&metadataPrefix=oai_dc&${query}`)).match(/<header/g)?.length;
    expect(await headers('until=2019-04-01')).toBe(1);
    expect(await headers('from=2019-04-01T09:00:00Z&until=2019-04-01T09:00:00Z')).toBe(1);
    expect(await headers('set=theses&until=2020-12-31')).toBeLessThan(
      (await headers('set=faculty&until=2020-12-31')) ?? 0,
    );
  });
});

const schemas = sharedMaterial('spec/xsd');

describe.skipIf(schemas === undefined)('The sample repository, against the schema', () => {
  test('is valid in every verb and every error', async () => {
    const folder = schemas ?? '.';
    const provider = new XmlBufferInputProvider({});
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.xsd'))) {
      const bytes = readFileSync(join(folder, name));
      for (const prefix of [
        '',
        'http://www.openarchives.org/OAI/2.0/',
        'http://dublincore.org/schemas/xmls/',
        'http://www.w3.org/2001/',
        'http://www.w3.org/2001/03/',
        'http://www.openarchives.org/OAI/1.1/',
      ]) {
        provider.addBuffer(`${prefix}${name}`, bytes);
      }
    }
    xmlRegisterInputProvider(provider);
    const driver = XmlDocument.fromBuffer(readFileSync(join(folder, 'oai-driver.xsd')), {
      url: 'oai-driver.xsd',
    });
    const validator = XsdValidator.fromDoc(driver);
    const first = 'verb=ListRecords&metadataPrefix=oai_dc';
    const token = /<resumptionToken[^>]*>([^<]+)</.exec(await ask(first))?.[1];
    const queries = [
      'verb=Identify',
      'verb=ListSets',
      'verb=ListMetadataFormats',
      'verb=ListIdentifiers&metadataPrefix=mods',
      first,
      `verb=ListRecords&resumptionToken=${token}`,
      'verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:sample.example.org:123456789',
      'verb=Nonsense',
      'verb=ListRecords&metadataPrefix=none',
      'verb=ListRecords&metadataPrefix=oai_dc&from=9999-01-01',
    ];
    for (const query of queries) {
      const document = XmlDocument.fromString(await ask(query));
      expect(() => validator.validate(document), query).not.toThrow();
      document.dispose();
    }
    validator.dispose();
    driver.dispose();
  });
});
