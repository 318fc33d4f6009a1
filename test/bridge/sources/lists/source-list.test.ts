import { describe, expect, test } from 'vitest';
import { readSourceList } from '../../../../src/bridge/sources/lists/source-list.ts';

const read = (text: string) => readSourceList(Buffer.from(text));

describe('a list of repositories', () => {
  test('CSV with a header in whatever words; settings by their paths', () => {
    const list = read(
      'Repository name,OAI-PMH base URL,name,group,formats,files.mode,schedule,Country\n' +
        '"Kyushu, University",https://a.example.org/oai?verb=Identify,kyushu,jairo,"oai_dc jpcoar_2.0",link,false,JP\n' +
        '\n' +
        ',https://b.example.org/oai,,,,,,\n',
    );
    expect(list).toEqual({
      kind: 'CSV, separated by a comma',
      sources: [
        {
          place: 'line 2',
          url: 'https://a.example.org/oai',
          name: 'kyushu',
          settings: {
            title: 'Kyushu, University',
            group: 'jairo',
            formats: ['oai_dc', 'jpcoar_2.0'],
            files: { mode: 'link' },
            schedule: false,
          },
        },
        { place: 'line 4', url: 'https://b.example.org/oai', name: undefined, settings: {} },
      ],
      problems: [],
      unused: ['Country'],
    });
  });

  test.each([
    ['a semicolon', 'name;url\nx;https://a.example.org/oai\n'],
    ['a tab', 'name\turl\nx\thttps://a.example.org/oai\n'],
    ['a semicolon', 'sep=;\r\nname;url\r\nx;https://a.example.org/oai\r\n'],
    ['a comma', '"name","url"\r"x","https://a.example.org/oai"\r'],
  ])('as spreadsheets separate: %s', (separator, text) => {
    expect(read(text)).toMatchObject({
      kind: `CSV, separated by ${separator}`,
      sources: [{ url: 'https://a.example.org/oai', name: 'x' }],
    });
  });

  test('a line before the header counts', () => {
    expect(read('sep=;\nname;url\nx;https://a.example.org/oai\n').sources[0]?.place).toBe('line 3');
  });

  test.each([
    ['UTF-8 with a mark', Buffer.from('\uFEFF機関名,ベースURL\n九州大学,https://a.example.org/oai\n')],
    ['UTF-16', Buffer.from('\uFEFF機関名\tベースURL\n九州大学\thttps://a.example.org/oai\n', 'utf16le')],
    [
      'Shift_JIS',
      Buffer.concat([
        Buffer.from([0x8b, 0x40, 0x8a, 0xd6, 0x96, 0xbc]),
        Buffer.from(',url\n'),
        Buffer.from([0x8b, 0xe3, 0x8f, 0x42, 0x91, 0xe5, 0x8a, 0x77]),
        Buffer.from(',https://a.example.org/oai\n'),
      ]),
    ],
  ])('%s', (_, bytes) => {
    expect(readSourceList(bytes).sources).toEqual([
      { place: 'line 2', url: 'https://a.example.org/oai', name: undefined, settings: { title: '九州大学' } },
    ]);
  });

  test('a mere list of addresses', () => {
    expect(read('https://a.example.org/oai\nhttp://b.example.org/\n')).toMatchObject({
      kind: 'a list of addresses',
      sources: [
        { place: 'line 1', url: 'https://a.example.org/oai' },
        { place: 'line 2', url: 'http://b.example.org/' },
      ],
    });
  });

  test('JSON: a list, our own, and what OpenDOAR answers', () => {
    expect(
      read('["https://a.example.org/oai", { "baseURL": "b.example.org", "title": "B" }]').sources,
    ).toEqual([
      { place: 'entry 1', url: 'https://a.example.org/oai', name: undefined, settings: {} },
      {
        place: 'entry 2',
        url: 'https://b.example.org/',
        address: 'b.example.org/',
        name: undefined,
        settings: { title: 'B' },
      },
    ]);
    const own = { sources: { kyushu: { url: 'https://a.example.org/oai', files: { mode: 'mirror' } } } };
    expect(read(JSON.stringify(own)).sources).toEqual([
      {
        place: 'kyushu',
        url: 'https://a.example.org/oai',
        name: 'kyushu',
        settings: { files: { mode: 'mirror' } },
      },
    ]);
    const openDoar = {
      items: [
        {
          system_metadata: { id: 1 },
          repository_metadata: {
            oai_url: 'https://a.example.org/oai',
            url: 'https://a.example.org/',
            name: [
              { name: 'リポジトリ', language: 'ja' },
              { name: 'Repository A', language: 'en', preferred: 'name' },
            ],
          },
        },
        { repository_metadata: { oai_url: '', url: 'https://b.example.org/', name: [] } },
      ],
    };
    expect(read(JSON.stringify(openDoar))).toMatchObject({
      kind: 'JSON of OpenDOAR',
      sources: [
        { url: 'https://a.example.org/oai', settings: { title: 'Repository A' } },
        { url: 'https://b.example.org/', settings: {} },
      ],
    });
  });

  test('XML of base URLs: the registry, and the friends of a repository', () => {
    const registry =
      '<?xml version="1.0"?>\n<BaseURLs>\n <baseURL id="a">https://a.example.org/oai?x=1&amp;y=2</baseURL>\n</BaseURLs>';
    expect(read(registry).sources).toEqual([
      { place: 'line 3', url: 'https://a.example.org/oai?x=1&y=2', name: undefined, settings: {} },
    ]);
    const friends =
      '<f:friends xmlns:f="http://www.openarchives.org/OAI/2.0/friends/"><f:baseURL><![CDATA[http://b.example.org/oai]]></f:baseURL></f:friends>';
    expect(read(friends).sources).toMatchObject([{ url: 'http://b.example.org/oai' }]);
  });

  test('what is no repository is told with its place, and so is what is there twice', () => {
    const list = read(
      'name,url\na,https://a.example.org/oai\nb,\nc,ftp://c.example.org\nd,https://u:p@d.example.org/oai\ne,word\nf,https://A.example.org/oai\n',
    );
    expect(list.sources.map(({ name }) => name)).toEqual(['a']);
    expect(list.problems.map(({ place, message }) => `${place}: ${message}`)).toEqual([
      'line 3: there is no address; write that of its OAI-PMH endpoint, or of its home page, as url',
      'line 4: "ftp://c.example.org" is not one that can be read; write one that begins with http:// or https://, without a name and password',
      'line 5: the given address is not one that can be read; write one that begins with http:// or https://, without a name and password',
      'line 6: "word" is not one that can be read; write one that begins with http:// or https://, without a name and password',
      'line 7: https://a.example.org/oai is at line 2 already',
    ]);
  });

  test('secrets are not taken from a list', () => {
    const list = read(
      '[{ "url": "https://a.example.org/oai", "headers": { "Authorization": "x" }, "login": {} }]',
    );
    expect(list.sources[0]?.settings).toEqual({});
    expect(list.unused).toEqual(['headers', 'login']);
  });

  test.each([
    ['a,b\n1,2\n', 'no column has addresses: the header is "a", "b"; call the one that has them url'],
    ['url\n"https://a.example.org\n', 'line 2: a quotation mark before it is not closed'],
    ['{ "items": 1 }', /^there is no list of repositories in this JSON; write /],
    ['[1,', /^it begins as JSON does, but is none: /],
    ['<BaseURLs><baseURL>x</BaseURLs>', /^the XML cannot be read at line 1: /],
    ['<html><body/></html>', /^there is no <baseURL> in this XML/],
    ['<!DOCTYPE a [<!ENTITY b "c">]><BaseURLs><baseURL>&b;</baseURL></BaseURLs>', /^the XML cannot be read/],
    ['PK\u0003\u0004\0\0', /^this is no text; .+ save the table as CSV/],
  ])('what cannot be read at all is an error: %j', (text, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(() => read(text)).toThrow(message);
  });

  test('an empty file has no repositories', () => {
    expect(read('\uFEFF\n')).toEqual({ kind: 'an empty file', sources: [], problems: [], unused: [] });
  });
});
