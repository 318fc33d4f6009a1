import {
  around,
  codings,
  date,
  dcNamespace,
  header,
  megabyte,
  numbered,
  repeated,
  root,
  type Scene,
  text,
} from './hostile-answers.ts';

const address = 'http://127.0.0.1:PORT';
const linkset = 'application/linkset+json';
const link = (at: number) => `<${address}/f/${at}.pdf>; rel="item"; type="application/pdf", `;
const found: readonly Scene[] = [
  { name: 'headers', answers: { ListRecords: { headers: { 'x-a': 'y'.repeat(300_000) }, body: () => [] } } },
  {
    name: 'headers of a file',
    answers: {
      '/file.pdf': {
        headers: { 'x-a': 'y'.repeat(120_000), 'content-type': 'application/pdf' },
        body: () => [],
      },
    },
  },
  {
    name: 'Link header',
    answers: {
      '/page': {
        headers: { 'content-type': 'text/html', link: [...numbered(1500, link)].join('') },
        body: () => [],
      },
    },
  },
  {
    name: 'head of a page',
    answers: {
      '/page': {
        headers: { 'content-type': 'text/html' },
        body: around('<html><head>', () => numbered(50_000, (at) => `<link rel=item href=/f/${at}>`)),
      },
    },
  },
  ...[
    `{"linkset":[{"anchor":"${address}/page","item":[`,
    '[',
    '{"linkset":"',
    '{"linkset":[{"anchor":"a","item":[{"href":"',
  ].map(
    (start, at): Scene => ({
      name: `link set ${at + 1}`,
      answers: {
        '/page': {
          headers: {
            'content-type': 'text/html',
            link: `<${address}/set>; rel="linkset"; type="${linkset}"`,
          },
          body: () => [],
        },
        '/set': {
          headers: { 'content-type': linkset },
          body: around(
            start,
            at === 0
              ? () =>
                  numbered(
                    150_000,
                    (index) => `{"href":"${address}/f/${index}.pdf","type":"application/pdf"},`,
                  )
              : () => repeated(at === 1 ? '[' : 'x', 15 * megabyte),
            at === 0 ? `{"href":"${address}/f"}]}]}` : '',
          ),
        },
      },
    }),
  ),
  {
    name: 'link set of empty objects',
    answers: {
      '/page': {
        headers: { 'content-type': 'text/html', link: `<${address}/set>; rel="linkset"; type="${linkset}"` },
        body: () => [],
      },
      '/set': {
        headers: { 'content-type': linkset },
        body: around('{"linkset":[{}', () => repeated(',{}', 14 * megabyte), ']}'),
      },
    },
  },
];

function files(
  name: string,
  namespace: string,
  start: string,
  one: (url: string, at: number) => string,
  end: string,
): Scene {
  const each = (at: number) => one(`${address}/f/${at}.pdf`, at);
  return {
    name: `50,000 files: ${name}`,
    format: [name, namespace],
    source: { files: { mode: 'proxy' } },
    answers: {
      ListRecords: {
        body: around(
          `${root}${date}<ListRecords><record>${header('c')}<metadata>${start.replace('NS', namespace)}`,
          () => numbered(50_000, each),
          `${end}</metadata></record></ListRecords></OAI-PMH>`,
        ),
      },
    },
  };
}

const element = (name: string, inner: string) => `<element name="${name}">${inner}</element>`;
const field = (name: string, value: string) => `<field name="${name}">${value}</field>`;
const manyFiles: readonly Scene[] = [
  files(
    'jpcoar_2.0',
    'https://github.com/JPCOAR/schema/blob/master/2.0/',
    '<j:jpcoar xmlns:j="NS">',
    (url) =>
      `<j:file><j:URI objectType="fulltext">${url}</j:URI><j:mimeType>application/pdf</j:mimeType></j:file>`,
    '</j:jpcoar>',
  ),
  files(
    'xoai',
    'http://www.lyncode.com/xoai',
    `<metadata xmlns="NS"><element name="bundles"><element name="bundle">${field('name', 'ORIGINAL')}<element name="bitstreams">`,
    (url, at) =>
      element(
        'bitstream',
        field('name', `${at}.pdf`) + field('size', '1000') + field('url', url) + field('sid', String(at + 1)),
      ),
    '</element></element></element></metadata>',
  ),
  files(
    'mets',
    'http://www.loc.gov/METS/',
    '<m:mets xmlns:m="NS" xmlns:l="http://www.w3.org/1999/xlink"><m:fileSec><m:fileGrp USE="ORIGINAL">',
    (url, at) =>
      `<m:file ID="f${at}" MIMETYPE="application/pdf" SIZE="1000" CHECKSUM="${String(at).padStart(32, '0')}" CHECKSUMTYPE="MD5"><m:FLocat LOCTYPE="URL" l:type="simple" l:href="${url}"/></m:file>`,
    '</m:fileGrp></m:fileSec></m:mets>',
  ),
  files(
    'didl',
    'urn:mpeg:mpeg21:2002:02-DIDL-NS',
    '<d:DIDL xmlns:d="NS"><d:Item><d:Item><d:Descriptor><d:Statement mimeType="application/xml"><rdf:type xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:resource="info:eu-repo/semantics/objectFile"/></d:Statement></d:Descriptor>',
    (url) => `<d:Component><d:Resource mimeType="application/pdf" ref="${url}"/></d:Component>`,
    '</d:Item></d:Item></d:DIDL>',
  ),
  files(
    'oai_dc',
    dcNamespace,
    '<oai_dc:dc xmlns:oai_dc="NS" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>t</dc:title>',
    (url) => `<dc:relation>${url}</dc:relation><dc:identifier>${url}</dc:identifier>`,
    '</oai_dc:dc>',
  ),
];

const dspace = { adapter: 'dspace', url: `${address}/server/api` };
const json = { 'content-type': 'application/json' };
const rest: readonly Scene[] = (
  [
    ['endless text', '{"a":"', text, '"}'],
    ['15 MB of text', '{"a":"', () => repeated('x', 15 * megabyte), '"}'],
    ['15 MB of kana', '{"a":"', () => repeated('あ', 4.9 * megabyte), '"}'],
    ['endless objects', '{"a":[{}', () => repeated(',{}'), ']}'],
    ['objects', '{"a":[{}', () => numbered(240_000, (at) => `,{"b":${at}.5}`), ']}'],
    ['lists', '{"a":[[]', () => numbered(240_000, () => ',[0]'), ']}'],
    ['fields', '{"a":1', () => numbered(490_000, (at) => `,"a${at}":"あ"`), '}'],
    ['nested', '', () => repeated('{"a":', 60 * megabyte), ''],
  ] as const
).map(([name, start, inner, end]) => ({
  name: `DSpace: ${name}`,
  source: dspace,
  answers: { '/server/api/': { headers: json, body: around(start, inner, end) } },
}));

const restBombs: readonly Scene[] = codings.map((coding) => ({
  name: `bomb, ${coding}: DSpace`,
  source: dspace,
  answers: { '/server/api/': { coding, headers: json, body: around('{"a":"', text) } },
}));

const mirror: readonly Scene[] = [
  {
    name: 'mirror: a file of 200 MB',
    source: { files: { mode: 'mirror' } },
    answers: { '/file.pdf': { headers: { 'content-type': 'application/pdf' }, body: text } },
  },
  {
    name: 'mirror: a bomb',
    source: { files: { mode: 'mirror' } },
    answers: { '/file.pdf': { coding: 'gzip', headers: { 'content-type': 'application/pdf' }, body: text } },
  },
];

export const otherScenes: readonly Scene[] = [...found, ...manyFiles, ...rest, ...restBombs, ...mirror];
