import { describe, expect, test } from 'vitest';
import type { SourceItem } from '../../../../src/core/adapter.ts';
import { harvest, ids, token } from '../../../house/adapters/harvest-script.ts';
import { envelope } from '../../../house/adapters/scripted-provider.ts';

const dc = 'http://purl.org/dc/elements/1.1/';
const oaiDc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const mods = 'http://www.loc.gov/mods/v3';
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

const record = (identifier: string, payload: string) =>
  `<record><header><identifier>${identifier}</identifier><datestamp>2026-01-01</datestamp></header><metadata>${payload}</metadata></record>`;
const list = (records: readonly string[], more = '') =>
  envelope(`<ListRecords>${records.join('')}${more}</ListRecords>`);
const complete = (prefix = 'dc', uri = dc) => `<a:dc xmlns:a="${oaiDc}" xmlns:${prefix}="${uri}"/>`;
const wanting = `<a:dc xmlns:a="${oaiDc}"><dc:title>A</dc:title></a:dc>`;

const contentOf = (items: readonly SourceItem[], identifier: string) =>
  Buffer.from(items.find((item) => item.identifier === identifier)?.metadata[0]?.content ?? []).toString();

describe('a prefix that a record does not declare', () => {
  test('is what an earlier record of the response declared it to be', async () => {
    const { items, problems } = await harvest(() =>
      list([record('1', complete()), record('2', wanting), record('3', wanting)]),
    );
    expect(ids(items)).toEqual(['1', '2', '3']);
    expect(contentOf(items, '2')).toBe(
      `<a:dc xmlns:dc="${dc}" xmlns:a="${oaiDc}"><dc:title>A</dc:title></a:dc>`,
    );
    expect(problems.map(({ code }) => code)).toEqual(['record-repaired', 'record-repaired']);
    expect(problems[0]?.message).toContain('earlier in the list');
  });

  test('is what an earlier page of the list declared it to be, on its root or in a record', async () => {
    for (const first of [
      list([record('1', complete())], token('next')),
      list([record('1', '<x xmlns="urn:x"/>')], token('next')).replace(
        '<OAI-PMH',
        `<OAI-PMH xmlns:dc="${dc}"`,
      ),
    ]) {
      const { items } = await harvest((query) =>
        query.get('resumptionToken') === null ? first : list([record('2', wanting)]),
      );
      expect(contentOf(items, '2')).toContain(`xmlns:dc="${dc}"`);
    }
  });

  test('is never what a later one declares, or one of another list', async () => {
    const { items, problems } = await harvest(() => list([record('1', wanting), record('2', complete())]));
    expect(ids(items)).toEqual(['2']);
    expect(problems).toMatchObject([{ code: 'record-quarantined', identifier: '1' }]);
    const formats = ['oai_dc', 'mods'];
    const two = await harvest(
      (query) => list([record('1', query.get('metadataPrefix') === 'oai_dc' ? complete() : wanting)]),
      { mode: 'full' },
      { formats },
    );
    expect(two.problems).toMatchObject([{ code: 'record-quarantined', format: 'mods' }]);
  });

  test('is not guessed where the list has used it for two things', async () => {
    const { items, problems } = await harvest(() =>
      list([record('1', complete()), record('2', complete('dc', 'urn:other')), record('3', wanting)]),
    );
    expect(ids(items)).toEqual(['1', '2']);
    expect(problems).toMatchObject([{ code: 'record-quarantined', identifier: '3' }]);
  });

  test.each([
    [
      'its usual meaning is named',
      `<mods:mods ${xsi} xsi:schemaLocation="${mods} http://e.org/mods.xsd"><mods:a/></mods:mods>`,
      `xmlns:mods="${mods}"`,
    ],
    [
      'its usual meaning is one of those that are named',
      `<b xmlns="urn:b" ${xsi} xsi:schemaLocation="urn:b b.xsd ${dc}\n dc.xsd urn:c c.xsd"><dc:title/></b>`,
      `xmlns:dc="${dc}"`,
    ],
    [
      'another meaning than usual is the only one that is named',
      `<datacite:resource ${xsi} xsi:schemaLocation="http://datacite.org/schema/kernel-3 a.xsd"/>`,
      'xmlns:datacite="http://datacite.org/schema/kernel-3"',
    ],
    [
      'it is a name of their own',
      `<our:record ${xsi} xsi:schemaLocation="urn:ours a.xsd"><our:title/></our:record>`,
      'xmlns:our="urn:ours"',
    ],
    [
      'all others are declared',
      `<a:dc xmlns:a="${oaiDc}" ${xsi} xsi:schemaLocation="${oaiDc} a.xsd urn:t t.xsd"><t:x/></a:dc>`,
      'xmlns:t="urn:t"',
    ],
  ])('is what the schemaLocation of its record states: %s', async (_how, payload, declaration) => {
    const { items, problems } = await harvest(() =>
      list([record('before', '<x xmlns="urn:x"/>'), record('1', payload), record('2', wanting)]),
    );
    expect(contentOf(items, '1')).toContain(declaration);
    expect(contentOf(items, '1').replace(` ${declaration}`, '')).toBe(payload);
    // It holds for this record alone.
    expect(problems).toMatchObject([
      { code: 'record-repaired', identifier: '1' },
      { code: 'record-quarantined', identifier: '2' },
    ]);
    expect(problems[0]?.message).toContain('as its xsi:schemaLocation states');
  });

  test.each([
    ['nothing states it', wanting],
    [
      'its namespace is another one’s',
      `<x xmlns="urn:x" ${xsi} xsi:schemaLocation="${oaiDc} a.xsd"><dc:a/></x>`,
    ],
    ['two are named', `<a:x ${xsi} xsi:schemaLocation="urn:a a.xsd urn:b b.xsd"/>`],
    ['two are wanting', `<a:x ${xsi} xsi:schemaLocation="urn:a a.xsd"><b:x/></a:x>`],
    ['what is named is declared', `<x xmlns="urn:x" ${xsi} xsi:schemaLocation="urn:x a.xsd"><y:x/></x>`],
    ['it is not in pairs', `<a:x ${xsi} xsi:schemaLocation="urn:a"/>`],
    ['the location is not of the record', '<a:x schemaLocation="urn:a a.xsd"/>'],
    ['xsi itself is not declared', '<a:x q:schemaLocation="urn:a a.xsd"/>'],
  ])('makes it a problem where %s', async (_why, payload) => {
    const { items, problems } = await harvest(() =>
      list([
        record('before', '<x xmlns="urn:x"/>'),
        record('1', payload),
        record('after', '<x xmlns="urn:x"/>'),
      ]),
    );
    expect(ids(items)).toEqual(['before', 'after']);
    expect(problems).toMatchObject([{ code: 'record-quarantined', identifier: '1' }]);
    expect(problems[0]?.message).toMatch(/its prefix "[abcdqy]+" is declared nowhere/);
  });
});

test('quirk 70: a payload without a namespace has no profile, whatever the list of formats says', async () => {
  const { items } = await harvest(() => list([record('1', '<dc xmlns=""><title>A</title></dc>')]));
  expect(contentOf(items, '1')).toBe('<dc xmlns=""><title>A</title></dc>');
  expect(items[0]?.metadata[0]).not.toHaveProperty('profile');
});
