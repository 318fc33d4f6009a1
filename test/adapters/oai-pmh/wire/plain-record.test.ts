import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { RecordCutter } from '../../../../adapters/oai-pmh/wire/record-cutter.ts';
import { envelope, record } from '../../../house/adapters/scripted-provider.ts';
import { sharedMaterial } from '../../../house/adapters/shared-material.ts';
import { runs } from '../../../house/runs.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** How many characters the strict parser has been given since. */
function countStrict(): () => number {
  const write = vi.spyOn(SaxesParser.prototype, 'write');
  return () => write.mock.calls.reduce((sum, [text]) => sum + String(text ?? '').length, 0);
}

function cut(text: string, size = text.length): unknown {
  const cutter = new RecordCutter();
  const told = () => ({
    envelope: cutter.envelope,
    records: cutter.take().map(({ raw, ...rest }) => ({
      ...rest,
      repairs: [...rest.repairs],
      payload: rest.payload && { ...rest.payload, content: rest.payload.content.toString('utf8') },
    })),
  });
  try {
    for (let at = 0; at < text.length; at += size) cutter.write(text.slice(at, at + size));
    cutter.end();
    return told();
  } catch (error) {
    return { ...told(), error: (error as Error).message };
  }
}

/** With a blank in their tags records are none that are read without the strict parser. */
const strict = (text: string) => text.replaceAll('<record>', '<record >');

const listOf = (content: string) => envelope(`<ListRecords>${content}</ListRecords>`);

describe('A record is read as the strict parser reads it', () => {
  const folder = sharedMaterial('fixtures/oai');
  const files = folder ? readdirSync(folder).filter((name) => name.endsWith('.xml')) : [];
  const texts = files
    .map((name) => readFileSync(join(folder ?? '', name), 'utf8'))
    .filter((text) => text.includes('<record>') && text.length < 200_000);

  test.skipIf(texts.length === 0)('in recorded answers, wherever their pieces end', () => {
    for (const text of texts) {
      const expected = normal(cut(strict(text)));
      for (const size of [text.length, 333]) expect(normal(cut(text, size))).toEqual(expected);
    }
  });

  const own = [
    '<a xmlns="urn:a" b="1" c=\'"\'><b/>text &amp; &#233;<c d=">">日本 𠮷</c></a>',
    '<d:a xmlns:d="urn:d" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="d:T" d:e="1"><d:b xmlns:d="urn:e" d:f="2"/></d:a>',
    '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>x</leader><metadata/></record>',
    '<x:a xmlns:x="http://www.w3.org/XML/1998/namespace"/>',
    '<xml:a/>',
    '<a xmlns="urn:a" xmlns="urn:b"/>',
    '<a xmlns="urn:a" xmlns:p="urn:p" xmlns:q="urn:p" p:x="1" q:x="2"/>',
    '<a xmlns="urn:a"><![CDATA[</record>]]><!-- </record> --></a>',
    '<a xmlns="urn:a"></b></a>',
    '<a xmlns="urn:a">]]>\u0001&nbsp;</a>',
    '<a xmlns="urn:a" b="&lt;" b="2"></a >',
    '<p:a xmlns:p=""/>',
    '<p:a xmlns:p=" urn:p "><p:b/></p:a>',
    '<a xmlns="urn:a"/><b/>',
  ];
  const page = listOf(own.map((payload, index) => oneRecord(index, payload)).join('\n '));

  test('also where it is unusual or broken', () => {
    const expected = normal(cut(strict(page)));
    for (const size of [page.length, 1, 2, 7, 100]) expect(normal(cut(page, size))).toEqual(expected);
  });

  test('with any character in any place', () => {
    const alphabet = ['<', '>', '&', '"', "'", '/', ':', '=', ' ', '\r', ';', 'x', '\u0000', '\ud800', ''];
    const at = fc.integer({ min: page.indexOf('<ListRecords>') + 13, max: page.length - 1 });
    fc.assert(
      fc.property(at, fc.constantFrom(...alphabet), fc.integer({ min: 1, max: 2 }), (place, by, length) => {
        const text = page.slice(0, place) + by + page.slice(place + length);
        expect(normal(cut(text))).toEqual(normal(cut(strict(text))));
      }),
      { seed: 20_261_122, numRuns: runs(60, 1_000) },
    );
  });

  test('and plain ones do not reach it', () => {
    const records = Array.from({ length: 500 }, (_, index) => record(`oai:x:${index}`));
    const given = countStrict();
    cut(listOf(records.join('\n')).replaceAll('\r', ''), 1_400);
    expect(given()).toBeLessThan(2_000);
  });
});

function oneRecord(index: number, payload: string): string {
  return `<record><header><identifier>oai:x:${index}</identifier><datestamp>2026-01-0${1 + (index % 9)}</datestamp><setSpec>a</setSpec><setSpec> a </setSpec></header><metadata>${payload}</metadata></record>`;
}

/** A blank more is in the texts that are quoted. */
function normal(told: unknown): unknown {
  return JSON.parse(JSON.stringify(told).replaceAll(' >', '>'));
}

describe('Records that swallow those behind them', () => {
  test.each([
    ['</record>', /<\/record>/g],
    ['</metadata></record>', /<\/metadata><\/record>/g],
  ])('because %s is missing are not read again and again', (_, missing) => {
    const filling = 'x'.repeat(8_000);
    const records = Array.from({ length: 300 }, (_, index) =>
      record(`oai:x:${index}`, `<dc:title>${filling}</dc:title>`),
    );
    const text = listOf(records.join('').replace(missing, ''));
    const given = countStrict();
    const { records: found } = cut(text, 65_536) as { records: readonly { identifier: string }[] };
    expect(found.map(({ identifier }) => identifier)).toEqual(records.map((_, index) => `oai:x:${index}`));
    expect(given()).toBeLessThan(8 * text.length);
  });
});
