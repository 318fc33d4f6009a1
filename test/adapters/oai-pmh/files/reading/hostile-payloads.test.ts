import { describe, expect, test } from 'vitest';
import { findFiles } from '../../../../../adapters/oai-pmh/files/index.ts';
import { statedFiles, statedUrls } from '../../../../house/adapters/payloads.ts';
import { countSteps } from '../../../../house/process/steps.ts';

const jpcoar = 'https://github.com/JPCOAR/schema/blob/master/2.0/';
const mets = 'http://www.loc.gov/METS/';
const file = (url: string) => `<j:file><j:URI>${url}</j:URI></j:file>`;
const document = (...content: string[]) => `<j:jpcoar xmlns:j="${jpcoar}">${content.join('')}</j:jpcoar>`;

describe('A hostile payload', () => {
  test.each([
    ['javascript:alert(1)//a.pdf'],
    ['data:application/pdf,x.pdf'],
    ['file:///etc/passwd.pdf'],
    ['ftp://repo.example/a.pdf'],
    ['https://user:secret@repo.example/a.pdf'],
    ['https:\\\\repo.example\\a.pdf'],
    ['https://'],
    ['https://repo.example/a\nhttps://repo.example/b.pdf'],
    [`https://repo.example/${'x'.repeat(2_100)}.pdf`],
    ['//repo.example/a.pdf'],
    ['files/a.pdf'],
    [''],
  ])('states no file by %s', (url) => {
    expect(statedUrls(jpcoar, document(file(url)))).toEqual([]);
  });

  test.each([
    ['https://repo.example/a b%20c.pdf', 'https://repo.example/a%20b%20c.pdf', 'a b c.pdf'],
    ['https://repo.example/頁.pdf', 'https://repo.example/%E9%A0%81.pdf', '頁.pdf'],
    ['https://図書館.example/a.pdf', 'https://xn--lcss68aj21b.example/a.pdf', 'a.pdf'],
    ['https://repo.example/a.pdf#page=2', 'https://repo.example/a.pdf', 'a.pdf'],
    ['https://repo.example/?x=1&amp;amp;y=[2|3].pdf', 'https://repo.example/?x=1&amp;y=[2%7C3].pdf', 'file'],
    ['https://repo.example/100%.pdf', 'https://repo.example/100%25.pdf', '100%.pdf'],
    ['https://repo.example/%E9.pdf', 'https://repo.example/%E9.pdf', '%E9.pdf'],
    ['https://repo.example/x/../../etc/a.pdf', 'https://repo.example/etc/a.pdf', 'a.pdf'],
    [
      'https://repo.example/..%2F..%2Fpasswd.pdf',
      'https://repo.example/..%2F..%2Fpasswd.pdf',
      '../../passwd.pdf',
    ],
  ])('%s becomes a URL in plain ASCII', (stated, url, name) => {
    expect(statedFiles(jpcoar, document(file(stated)))).toEqual([{ url, name }]);
  });

  test('CDATA, comments, entities, blanks and any prefix are read as XML means them', () => {
    const content =
      '<j:file><!-- https://repo.example/no.pdf --><j:URI>\n <![CDATA[https://repo.example/x?a=1&]]>b=&#x32;<?pi https://no?> </j:URI></j:file>';
    expect(statedUrls(jpcoar, document(content))).toEqual(['https://repo.example/x?a=1&b=2']);
    expect(
      statedUrls(
        jpcoar,
        `<jpcoar xmlns='${jpcoar}'><file><URI objectType='fulltext'>https://repo.example/a.pdf</URI></file></jpcoar>`,
      ),
    ).toEqual(['https://repo.example/a.pdf']);
  });

  test('the same URL twice is one file', () => {
    const url = 'https://repo.example/a.pdf';
    expect(statedUrls(jpcoar, document(file(url), file(`${url}#2`), file(` ${url} `)))).toEqual([url]);
  });

  test('a name may hold anything, a type or a hash may not', () => {
    const flocat = `<FLocat href="https://repo.example/a"/>`;
    const one = (attributes: string) =>
      statedFiles(
        mets,
        `<mets xmlns="${mets}"><fileSec><file ${attributes}>${flocat}</file></fileSec></mets>`,
      )[0];
    expect(one('LABEL=" ../&#9;x&#x85;.pdf "')?.name).toBe('../\tx\u0085.pdf');
    expect(one(`LABEL="${'x'.repeat(5_000)}"`)?.name).toHaveLength(1_000);
    for (const type of ['text', 'a/b', '*/*', 'application/pdf/x', 'application/<x>'.replace('<', '&lt;')]) {
      expect(one(`MIMETYPE="${type}"`)?.mediaType).toBeUndefined();
    }
    expect(one('MIMETYPE="Adobe PDF"')?.mediaType).toBe('application/pdf');
    for (const [type, sum] of [
      ['MD5', 'abc'],
      ['MD5', 'g'.repeat(32)],
      ['SHA-256', 'a'.repeat(40)],
      ['CRC32', 'a'.repeat(32)],
      ['MD5', '0'.repeat(32)],
    ]) {
      expect(one(`CHECKSUMTYPE="${type}" CHECKSUM="${sum}"`)?.hash).toBeUndefined();
    }
    for (const size of ['794 KB', '1.5', '-1', '1e3', '9'.repeat(16)]) {
      expect(one(`SIZE="${size}"`)?.length).toBeUndefined();
    }
  });

  test('nesting without end, or a document that is cut off, states nothing', () => {
    const deep = `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`;
    expect(statedUrls(jpcoar, document(file('https://repo.example/a.pdf'), deep))).toEqual([]);
    expect(statedUrls(jpcoar, document(file('https://repo.example/a.pdf')).slice(0, -5))).toEqual([]);
  });

  test('50,000 files in one record are found, each once, in twice the steps of half as many', async () => {
    const given = [25_000, 50_000].map((length) => {
      const many = Array.from({ length }, (_, index) => file(`https://repo.example/f/${index}.pdf`));
      return [jpcoar, Buffer.from(document(...many, ...many))];
    });
    const finder = 'adapters/oai-pmh/files/index.ts';
    const [half, whole] = await countSteps<ReturnType<typeof findFiles>>(finder, 'findFiles', ...given);
    const files = whole?.result?.files;
    expect(files).toHaveLength(50_000);
    expect(files?.at(-1)).toMatchObject({ url: 'https://repo.example/f/49999.pdf', sequence: 50_000 });
    expect(whole?.steps).toBeLessThan(2.1 * (half?.steps ?? 0));
  });

  test('50 MB of text, in which one file is named, are read in little memory', () => {
    const noise = Buffer.alloc(50 * 1024 * 1024, 'é &amp; ');
    const [head, tail] = ['<j:description>', '</j:description>'];
    const payload = Buffer.concat([
      Buffer.from(`<j:jpcoar xmlns:j="${jpcoar}">${head}`),
      noise.subarray(0, noise.length - (noise.length % 9)),
      Buffer.from(`${tail}${file('https://repo.example/a.pdf')}</j:jpcoar>`),
    ]);
    const before = process.memoryUsage().rss;
    expect(findFiles(jpcoar, payload)?.files).toHaveLength(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });
});
