import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  DocumentEntry,
  DocumentHead,
  LinkReading,
} from '../../../src/resourcesync/documents/document-model.ts';
import { readDocument } from '../../../src/resourcesync/documents/document-reader.ts';
import { readLaterLinks, readPlainEntry } from '../../../src/resourcesync/documents/plain-entry.ts';
import { runs } from '../../house/runs.ts';

const head = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/" xmlns:o="http://o.example/">
<rs:ln rel="up" href="https://a.example/capabilitylist.xml"/><rs:md capability="resourcelist" at="2026-11-21T00:00:00Z"/>
`;

const children = [
  '<loc>https://a.example/1</loc>',
  '<loc>https://a.example/1?a=1&amp;b=&lt;&quot;</loc>',
  '<loc>\n  https://a.example/2\n</loc>',
  '<loc>https://a.example/caf\u00e9/\u{1f600}</loc>',
  '<loc></loc>',
  '<loc/>',
  '<loc>a]]>b</loc>',
  '<loc><![CDATA[https://a.example/3]]></loc>',
  '<loc>&#x41;&nbsp;</loc>',
  '<loc>a & b</loc>',
  '<lastmod>2026-11-20T00:00:00Z</lastmod>',
  '<lastmod >2026-11-20</lastmod>',
  '<priority>0.5</priority><changefreq>daily</changefreq>',
  '<rs:md hash="md5:abc" length="12" type="application/xml"/>',
  '<rs:md hash="md5:abc" hash="md5:abc"/>',
  '<rs:md />',
  '<rs:md/>',
  '<rs:md length="1"></rs:md>',
  '<rs:md length="1">text</rs:md>',
  '<rs:md rs:length="1" length="2"/>',
  '<rs:md xmlns="http://o.example/" length="2"/>',
  '<rs:md xml:lang="en" o:a="1"/>',
  '<rs:ln rel=\'up\' href="https://a.example/"/>',
  '<rs:ln rel="describes" href="https://a.example/?a&amp;b" />',
  '<rs:ln rel="a\nb"\n href="c\td"/>',
  '<rs:ln rel="<"/>',
  '<rs:ln rel="a"href="b"/>',
  '<rs:ln rel=a/>',
  '<rs:ln 1="a"/>',
  '<rs:ln rel="a" / >',
  '<rs:lm rel="a"/>',
  '<o:md a="1"/>',
  '<rs:md',
  '<md a="1"/>',
  '<url><loc>x</loc></url>',
  '<!-- </url> -->',
  '<?pi </url>?>',
  'text',
  '\t',
  '\u0001',
  '</url>',
  '</urlset>',
  '<sitemap>',
];

const between = ['', '\n', 'text', '<!-- between -->', '<rs:md a="1"/>', '<o:x/>', '<url/>', '\t ', '&'];

describe('readDocument', () => {
  it('says the same, of the same places, of entries that it reads without a parser', async () => {
    const entry = fc.tuple(
      fc.constantFrom('url', 'url', 'url', 'sitemap'),
      fc.array(fc.nat(children.length - 1), { maxLength: 5 }),
      fc.option(fc.nat(between.length - 1), { nil: 0, freq: 6 }),
    );
    // Most entries are whole, so that there is something behind them.
    const plain = fc.constant(ordinary);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(plain, plain, entry), { maxLength: 8 }),
        fc.array(fc.nat(400), { maxLength: 6 }),
        fc.boolean(),
        async (entries, cuts, isClosed) => {
          const text = `${head}${entries.map(write).join('')}${isClosed ? '</urlset>\n' : ''}`;
          // A parser takes either for the end of a line; no entry with the other is read without it.
          expect(await readAll(text, cuts)).toEqual(await readAll(text.replaceAll('\n', '\r'), cuts));
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it('keeps to the place of an error behind entries that were read without a parser', async () => {
    const entries = '<url><loc>https://a.example/1</loc></url>\n'.repeat(3);
    const { reports } = await readAll(`${head}${entries}<url>&nbsp;</url></urlset>`, []);
    expect(reports).toEqual([expect.stringMatching(/^RS-GEN-19 .*7:11: undefined entity/)]);
  });

  it('takes a byte order mark for one at the beginning alone, and refuses bytes that are no UTF-8', async () => {
    const mark = '\ufeff';
    const entry = '<url><loc>https://a.example/1</loc></url>';
    const first = await readAll(`${mark}${head}${entry}</urlset>`, []);
    expect(first).toMatchObject({ reports: [], read: { entries: 1, whole: true } });
    const late = await readAll(`${head}<url><loc>${mark}</loc></url></urlset>`, [head.length + 10]);
    expect(late.entries[0]?.locs).toEqual(['']);
    const bytes = Buffer.concat([Buffer.from(`${head}${entry}`), Buffer.from([0xc3])]);
    const broken = await readBytes([bytes.subarray(0, -1), bytes.subarray(-1)]);
    expect(broken).toMatchObject({ read: { entries: 1, whole: false } });
    expect(broken.reports).toEqual([expect.stringContaining('not well-formed XML in UTF-8')]);
  });

  it.each([
    // 表, which is ɽ in UTF-8.
    ['EUC-JP', [0xc9, 0xbd]],
    ['euc-jp', [0xc6, 0xfc, 0xcb, 0xdc]],
    ['Shift_JIS', [0xc9, 0xbd]],
    ['GB18030', [0xc9, 0xbd]],
    ['ISO-2022-JP', [0x1b, 0x24, 0x42, 0x49, 0x3d, 0x1b, 0x28, 0x42]],
  ])('takes what is in %s for nothing else', async (encoding, octets) => {
    const before = `${head.replace('UTF-8', encoding)}<url><loc>https://a.example/1</loc></url>`;
    const bytes = Buffer.concat([
      Buffer.from(`${before}<url><loc>https://a.example/`),
      Buffer.from(octets),
      Buffer.from('</loc></url></urlset>'),
    ]);
    for (const size of [bytes.length, 1, 7, 64]) {
      const chunks = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      const { entries, reports, read } = await readBytes(chunks);
      expect(read.whole).toBe(false);
      expect(entries.flatMap(({ locs }) => locs).filter((loc) => loc !== 'https://a.example/1')).toEqual([]);
      expect(reports.at(-1)).toContain('not well-formed XML in UTF-8');
    }
  });

  it('reads what declares another encoding and is in UTF-8 all the same, and says so', async () => {
    const entry = (name: string) => `<url><loc>https://a.example/${name}</loc></url></urlset>`;
    for (const [encoding, name, mark] of [
      ['EUC-JP', '1', ''],
      ['ISO-8859-1', 'caf\u00e9', ''],
      ['EUC-JP', '\u8868', '\ufeff'],
    ] as const) {
      const text = `${mark}${head.replace('UTF-8', encoding)}${entry(name)}`;
      for (const cuts of [[], [1, 20, 40]]) {
        const { entries, reports } = await readAll(text, cuts);
        expect(entries[0]?.locs).toEqual([`https://a.example/${name}`]);
        expect(reports).toEqual([expect.stringContaining(`the encoding is ${encoding}`)]);
      }
    }
  });
});

describe('an ampersand that nobody escaped', () => {
  const locsOf = async (text: string, cuts: readonly number[] = []) => {
    const { entries, reports, read } = await readAll(`${head}${text}</urlset>`, cuts);
    return { locs: entries.flatMap(({ locs }) => locs), reports, whole: read.whole };
  };

  it('is read as one, wherever pieces of the document end', async () => {
    const text =
      '<!-- a & b --><url><loc>x?a&b=&lt;&#38;&amp</loc><rs:ln rel="a&b" href="x?&amp;&y"/></url><?p a & b ?><url><loc><![CDATA[c & d&]]]>&</loc></url>';
    for (let cut = 1; cut < text.length; cut += 1) {
      const { locs, reports, whole } = await locsOf(text, [head.length + cut]);
      expect(locs).toEqual(['x?a&b=<&&amp', 'c & d&]&']);
      expect(reports).toHaveLength(5);
      expect(whole).toBe(true);
    }
    const bytewise = await locsOf(text, Array(head.length + text.length).fill(1));
    expect(bytewise.locs).toEqual(['x?a&b=<&&amp', 'c & d&]&']);
  });

  it('makes nothing of entities, and of a document that is full of them', async () => {
    expect(await locsOf('<url><loc>&nbsp;</loc></url>')).toMatchObject({ locs: [], whole: false });
    const full = await locsOf(`<url><loc>${'&'.repeat(100_001)}</loc></url>`);
    expect(full).toMatchObject({ locs: [], whole: false });
    expect(full.reports.at(-1)).toMatch(/full of ampersands/);
  });

  it('is an error all the same', async () => {
    const { reports } = await locsOf('<url><loc>https://a.example/?a=1&b=2</loc></url>');
    expect(reports).toEqual([
      'RS-GEN-19 an & is not written as &amp;, and read as one: https://a.example/?a=1&b=2',
    ]);
  });
});

describe('readPlainEntry', () => {
  it('leaves links out that nobody asks for, and nothing else', () => {
    const md = '<rs:md length="1"/>';
    const plain = `<rs:ln rel="describes" href="https://a.example/?x>/y" type="a/b" />`;
    const odd = '<rs:ln rel="up" href="https://a.example/?a&amp;b"/>';
    const text = `<url><loc>x</loc>${plain}${md}${plain}${odd}</url>`;
    const all = readPlainEntry(text, 'url', 1, new Set(['rs:']));
    const without = readPlainEntry(text, 'url', 1, new Set(['rs:']), 'left-out');
    expect(all?.links).toHaveLength(3);
    expect(without).toMatchObject({ locs: ['x'], md: all?.md });
    // What takes more to understand is read as ever.
    expect(without?.links).toEqual([all?.links[2]]);
    const brokenLinks = ['<rs:ln rel="a"href="b"/>', '<rs:ln rel="\u00e9"/>', '<rs:ln rel="<"/>'];
    for (const broken of brokenLinks) {
      const behind = `<url><loc>x</loc>${plain}\n${plain}${broken}${plain}</url>`;
      expect(readPlainEntry(behind, 'url', 1, new Set(['rs:']), 'left-out')).toBeUndefined();
    }
  });

  it('leaves links for later of which there is nothing to say: then they are the same', () => {
    const plain = `<rs:ln rel="memento" href="https://a.example:8443/m/http://a.example/~1:2" hash="sha-256:${'0a'.repeat(32)}" length="12" modified="2026-01-01T00:00:00Z" type="a/b+c"/>`;
    const others = [
      '<rs:ln rel="up" href="https://a.example/?a&amp;b"/>',
      '<rs:ln rel="describedBy" href="https://a.example/"/>',
      '<rs:ln href="https://a.example/" rel="up"/>',
      '<rs:ln rel="up" href="/relative"/>',
      '<rs:ln rel="up" href="https://a.example/" length="long"/>',
      '<rs:ln rel="up"/>',
    ];
    const read = (links: string, reading: LinkReading) =>
      readPlainEntry(`<url><loc>x</loc>${links}</url>`, 'url', 1, new Set(['rs:']), reading);
    const pri = '<rs:ln rel="duplicate" href="http://b.example/" pri="1" />';
    for (const links of [plain, `${plain}\n${pri}`, `${pri}<rs:md length="1"/>${plain}`]) {
      const later = read(links, 'later');
      expect(later).toMatchObject({ links: [], md: read(links, 'now')?.md });
      expect(readLaterLinks(later?.unreadLinks ?? '')).toEqual(read(links, 'now')?.links);
    }
    for (const other of others)
      for (const links of [other, plain + other, other + plain, plain + other + plain])
        expect(read(links, 'later')).toMatchObject({ unreadLinks: '', links: read(links, 'now')?.links });
    // Twice the same attribute is no XML.
    expect(
      read('<rs:ln rel="up" href="https://a.example/" type="a/b" type="a/b"/>', 'later'),
    ).toBeUndefined();
  });

  it('reads what lists consist of', () => {
    const text =
      '<url>\n\t<loc>https://a.example/1?a&amp;b</loc><lastmod>2026</lastmod><rs:md length="1" at="2"/><rs:ln rel="up" href="x"/></url>';
    expect(readPlainEntry(text, 'url', 7, new Set(['rs:']))).toEqual({
      number: 7,
      element: 'url',
      attributes: [],
      locs: ['https://a.example/1?a&b'],
      lastmods: ['2026'],
      changefreqs: [],
      priorities: [],
      md: [
        new Map([
          ['length', '1'],
          ['at', '2'],
        ]),
      ],
      links: [
        new Map([
          ['rel', 'up'],
          ['href', 'x'],
        ]),
      ],
      unreadLinks: '',
      order: ['loc', 'lastmod', 'md', 'ln'],
    });
  });
});

const ordinary: [string, number[], number] = ['url', [0, 10, 13, 23], 1];

function write([element, numbers, behind]: readonly [string, readonly number[], number]): string {
  return `<${element}>\n${numbers.map((number) => children[number]).join('')}</${element}>${between[behind]}`;
}

/** @param cuts where chunks end, in bytes behind the one before */
async function readAll(text: string, cuts: readonly number[]) {
  const bytes = Buffer.from(text);
  const chunks: Uint8Array[] = [];
  let from = 0;
  for (const cut of cuts) {
    chunks.push(bytes.subarray(from, from + cut));
    from = Math.min(bytes.length, from + cut);
  }
  return readBytes([...chunks, bytes.subarray(from)]);
}

async function readBytes(chunks: readonly Uint8Array[]) {
  const heads: DocumentHead[] = [];
  const entries: DocumentEntry[] = [];
  const reports: string[] = [];
  const read = await readDocument(
    (async function* () {
      yield* chunks;
    })(),
    { head: (found) => heads.push(found), entry: (found) => entries.push(found) },
    (rules, message) => reports.push(`${rules} ${message}`),
  );
  // How much of a broken document was read depends on where its pieces end.
  return { heads, entries, reports, read: { ...read, bytes: read.whole ? read.bytes : undefined } };
}
