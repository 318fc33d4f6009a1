import fc from 'fast-check';
import { XmlC14NMode, XmlDocument, type XmlElement } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { decodeXml } from '../../../../adapters/oai-pmh/wire/decode.ts';
import { RecordCutter } from '../../../../adapters/oai-pmh/wire/record-cutter.ts';
import { envelope, oaiDc, record } from '../../../house/adapters/scripted-provider.ts';
import { runs } from '../../../house/runs.ts';

const seed = 20_261_121;

async function cut(bytes: Uint8Array, size: number, contentType?: string) {
  const cutter = new RecordCutter();
  async function* chunks() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  }
  for await (const { text, damaged } of decodeXml(chunks(), contentType)) cutter.write(text, damaged);
  cutter.end();
  return cutter.take().map((cutRecord) => ({
    ...cutRecord,
    repairs: [...cutRecord.repairs],
    payload: cutRecord.payload?.content.toString('utf8'),
  }));
}

const listOf = (content: string, attributes = '') =>
  envelope(`<ListRecords>${content}</ListRecords>`, attributes);

describe('Chunk boundaries', () => {
  const text = listOf(
    [
      record(
        '𠮷&amp;1',
        '<dc:title>café 𠮟 <![CDATA[</metadata></record> & ]]]]></dc:title><!-- </record> - -->\r\n',
      ),
      record('2', '<dc:title>R & D; &ouml; &#x2; </dc:title>'),
      record('3', '<dc:title a=">"\r\n b=\'<\'>broken</dc:creator>'),
      '<record\r\n><header\t><identifier> 4 </identifier></header><metadata><record xmlns="urn:x"><metadata/></record></metadata></record>',
      record('5', '<dc:title>\u0001</dc:title><nobody:x/>'),
      record('6'),
    ].join('\r\n'),
  );

  test('make no difference, wherever they fall', async () => {
    const bytes = Buffer.from(text, 'utf8');
    const whole = await cut(bytes, bytes.length);
    expect(whole.map(({ identifier, quarantine }) => [identifier, quarantine === undefined])).toEqual([
      ['𠮷&1', true],
      ['2', true],
      ['3', false],
      ['4', true],
      ['5', false],
      ['6', true],
    ]);
    for (const size of [1, 2, 3, 4, 5, 6, 7, 64, 509]) expect(await cut(bytes, size)).toEqual(whole);
  });

  test('make no difference to damaged bytes either', async () => {
    const bytes = Buffer.concat([
      Buffer.from(listOf('').slice(0, -24), 'utf8'),
      Buffer.from(`${record('l')}${record('1', '<dc:title>K\xf6ln \x93\xe9\x94</dc:title>')}`, 'latin1'),
      Buffer.from(`${record('日本')}</ListRecords></OAI-PMH>`, 'utf8'),
    ]);
    const whole = await cut(bytes, bytes.length);
    expect(whole.map(({ repairs }) => repairs.length)).toEqual([0, 1, 0]);
    expect(whole[1]?.payload).toContain('Köln “é”');
    for (const size of [1, 2, 3, 7]) expect(await cut(bytes, size)).toEqual(whole);
  });
});

test('Declared encodings are believed, the XML declaration before the header', async () => {
  const text = listOf(record('ü'));
  const declared = Buffer.from(text.replace('UTF-8', 'ISO-8859-1'), 'latin1');
  expect(await cut(declared, 10, 'text/xml; charset=utf-8')).toMatchObject([
    { identifier: 'ü', repairs: [] },
  ]);
  const header = Buffer.from(text.replace(' encoding="UTF-8"', ''), 'latin1');
  expect(await cut(header, 10, 'text/xml; charset="ISO-8859-1"')).toMatchObject([
    { identifier: 'ü', repairs: [] },
  ]);
  const wrongHeader = Buffer.from(listOf(record('日本 ü')).replace(' encoding="UTF-8"', ''), 'utf8');
  expect(await cut(wrongHeader, 10, 'text/xml; charset=ISO-8859-1')).toMatchObject([
    { identifier: '日本 ü', repairs: [] },
  ]);
  const utf16 = Buffer.from(`\uFEFF${text.replace('UTF-8', 'UTF-16')}`, 'utf16le');
  expect(await cut(utf16, 11)).toMatchObject([{ identifier: 'ü', repairs: [] }]);
});

describe('Namespaces', () => {
  const exclusive = { mode: XmlC14NMode.XML_C14N_EXCLUSIVE_1_0, withComments: true };

  test('in scope around a payload come along, and only those it uses', async () => {
    const [found] = await cut(
      Buffer.from(
        listOf(
          '<record xmlns:b="urn:b"><header><identifier>1</identifier></header><metadata xmlns:c="urn:c">' +
            '<a:root xsi:type="c:Type"><b:x xmlns:b="urn:inner"/><inner/></a:root></metadata></record>',
          'xmlns:a="urn:a&amp;&quot;" xmlns:unused="urn:unused"',
        ),
      ),
      100,
    );
    expect(found?.payload).toBe(
      '<a:root xmlns:a="urn:a&amp;&quot;" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:c="urn:c" ' +
        'xmlns="http://www.openarchives.org/OAI/2.0/" xsi:type="c:Type"><b:x xmlns:b="urn:inner"/><inner/></a:root>',
    );
  });

  test('of any nesting survive: the canonical form is that of the original', async () => {
    const prefix = fc.constantFrom('', 'p', 'q', 'dc');
    const uri = fc.constantFrom('urn:1', 'urn:2', 'http://x.example/?a=1&amp;b=2');
    const declarations = fc.dictionary(prefix, uri, { maxKeys: 3, noNullPrototype: true });
    const declare = (map: Record<string, string>) =>
      Object.entries(map)
        .map(([name, value]) => ` xmlns${name === '' ? '' : `:${name}`}="${value}"`)
        .join('');
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc
        .tuple(
          prefix,
          prefix,
          declarations,
          fc.oneof(
            { depthSize: 'small', withCrossShrink: true },
            fc.constant([]),
            fc.array(tie('tree'), { maxLength: 3 }),
          ),
          fc.constantFrom('', 'a𠮷', '&lt;', '<!--x-->', '<![CDATA[<]]>'),
        )
        .map(([name, attribute, map, children, text]) => {
          const tag = name === '' ? 'e' : `${name}:e`;
          const own = attribute === '' ? '' : ` ${attribute}:a="1"`;
          return `<${tag}${declare(map)}${own}>${text}${children.join('')}</${tag}>`;
        }),
    }));
    // Every prefix is declared outermost, so that each document is well-formed.
    const outer = `${declare({ p: 'urn:p', q: 'urn:q' })} ${oaiDc}`;
    await fc.assert(
      fc.asyncProperty(tree, declarations, fc.integer({ min: 1, max: 90 }), async (payload, around, size) => {
        const text = listOf(
          `<record><header><identifier>1</identifier></header><metadata${declare(Object.fromEntries(Object.entries(around).filter(([key]) => key !== '')))}>${payload}</metadata></record>`,
          outer,
        );
        const original = XmlDocument.fromString(text);
        const element = original.get("//*[local-name()='metadata']/*[1]") as XmlElement;
        const [found] = await cut(Buffer.from(text), size);
        const own = XmlDocument.fromString(found?.payload ?? '');
        expect(own.root.canonicalizeToString(exclusive)).toBe(element.canonicalizeToString(exclusive));
        original.dispose();
        own.dispose();
      }),
      { seed, numRuns: runs(100) },
    );
  });
});

test('Every text that is not our alphabet survives as it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.integer({ min: 1, max: 7 }),
      async (raw, size) => {
        // What XML has no way to write is tested above.
        const text = raw.replace(/(?![\t\n])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu, '');
        const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
        const payload = `<dc:title xmlns:dc="urn:dc">${escaped}</dc:title>`;
        const [found] = await cut(
          Buffer.from(
            listOf(
              `<record><header><identifier>1</identifier></header><metadata>${payload}</metadata></record>`,
            ),
          ),
          size,
        );
        expect(found).toMatchObject({ payload, repairs: [] });
      },
    ),
    { seed, numRuns: runs(70) },
  );
});

test('A page of which every record is damaged is still read in one go', async () => {
  const records = Array.from({ length: 3_000 }, (_, index) =>
    record(`n${index}`, '<dc:title>R & D</dc:title>'),
  );
  const found = await cut(Buffer.from(listOf(records.join(''))), 65_536);
  expect(found).toHaveLength(3_000);
  expect(new Set(found.flatMap(({ repairs }) => repairs))).toEqual(new Set(['bare ampersands were escaped']));
});
