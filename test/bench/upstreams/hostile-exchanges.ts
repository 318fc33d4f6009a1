import {
  around,
  date,
  dublinCore,
  type HostileAnswer,
  header,
  megabyte,
  numbered,
  record,
  repeated,
  root,
  type Scene,
  text,
} from './hostile-answers.ts';

const address = 'http://127.0.0.1:PORT';
const people = { 'content-type': 'text/html' };
const endlessPage: HostileAnswer = { headers: people, body: around('<html><body>', text) };
const bomb: HostileAnswer = { ...endlessPage, coding: 'gzip' };

/** Where an answer that nobody expects to be long may come. */
const places = ['Identify', 'ListSets', 'ListMetadataFormats', 'ListRecords', '/file.pdf', '/page'];

const refusals: readonly Scene[] = [403, 404, 500, 503].flatMap((status) =>
  places.map((place) => ({
    name: `error page: ${status} without end, ${place}`,
    answers: { [place]: { ...(status === 500 ? bomb : endlessPage), status } },
  })),
);

const redirects: readonly Scene[] = places.flatMap((place) => [
  {
    name: `redirect: to a bomb, ${place}`,
    answers: {
      [place]: { status: 302, headers: { location: `${address}/else` }, body: () => [] },
      '/else': bomb,
    },
  },
  {
    name: `redirect: with a body without end, ${place}`,
    answers: { [place]: { status: 302, headers: { location: `${address}/else` }, body: text } },
  },
]);

/** Written as it is. */
function exchange(name: string, raw: () => Iterable<string | Buffer>): readonly Scene[] {
  return ['Identify', 'ListRecords', '/file.pdf', '/page'].map((place) => ({
    name: `exchange: ${name}, ${place}`,
    answers: { [place]: { raw: true, body: raw } },
  }));
}

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/xml\r\n\r\n';
const exchanges: readonly Scene[] = [
  ...exchange(
    'headers without end',
    around('HTTP/1.1 200 OK\r\n', () => repeated('X-A: y\r\n')),
  ),
  ...exchange('one header without end', around('HTTP/1.1 200 OK\r\nX-A: ', text)),
  ...exchange('reason without end', around('HTTP/1.1 200 ', text)),
  ...exchange('interim answers', () => repeated('HTTP/1.1 102 Processing\r\n\r\n', 40 * megabyte)),
  ...exchange('chunk extension without end', around(`${chunked}1;a=`, text)),
  ...exchange(
    'chunk extensions',
    around(chunked, () => repeated(`1;${'a'.repeat(4000)}\r\n \r\n`)),
  ),
  ...exchange(
    'chunks of one byte',
    around(chunked, () => repeated('1\r\n \r\n', 60 * megabyte)),
  ),
  ...exchange(
    'trailers without end',
    around(`${chunked}1\r\n \r\n0\r\n`, () => repeated('X-A: y\r\n')),
  ),
  ...exchange('one trailer without end', around(`${chunked}1\r\n \r\n0\r\nX-A: `, text)),
];

const listed = (inner: () => Iterable<string | Buffer>): HostileAnswer => ({
  body: around(
    `${root}${date}<ListRecords>${record('a', dublinCore(''))}`,
    inner,
    '</ListRecords></OAI-PMH>',
  ),
});
const open = `<record>${header('c')}<metadata>${dublinCore('').replace('</oai_dc:dc>', '')}`;
const close = '</oai_dc:dc></metadata></record>';

const lists: readonly Scene[] = [
  ['10 million empty elements', () => repeated('<b/>', 40 * megabyte)],
  ['10 million empty elements in a record', around(open, () => repeated('<b/>', 40 * megabyte), close)],
  ['attribute of 100 MB', around('<x a="', () => repeated('x', 100 * megabyte), '"/>')],
  [
    'attribute of 100 MB in a record',
    around(`${open}<dc:title a="`, () => repeated('x', 100 * megabyte), `"/>${close}`),
  ],
  ['attribute of 15 MB', around(`${open}<dc:title a="`, () => repeated('x', 15 * megabyte), `"/>${close}`)],
  [
    'attribute of entities',
    around(`${open}<dc:title a="`, () => repeated('&amp;', 15 * megabyte), `"/>${close}`),
  ],
  ['numbers of characters', around(open, () => repeated('&#x3042;', 15 * megabyte), close)],
  ['HTML entities', around(open, () => repeated('&eacute;', 15 * megabyte), close)],
  ['forbidden characters', around(open, () => repeated('\u0001', 15 * megabyte), close)],
  ['entities outside', () => repeated('&amp;', 100 * megabyte)],
  ['entity without end', around(`${open}&`, text, close)],
  ['resumptionToken of 1 GB', around('<resumptionToken>', () => repeated('x', 1000 * megabyte))],
  ['resumptionToken of 1 MB', () => [`<resumptionToken>${'x'.repeat(megabyte)}</resumptionToken>`]],
  ['resumptionTokens, 100,000', () => numbered(100_000, (at) => `<resumptionToken>t${at}</resumptionToken>`)],
  ['CDATA, small', around(open, () => repeated('<![CDATA[x]]>', 15 * megabyte), close)],
  ['comments, small', around(open, () => repeated('<!--x-->', 15 * megabyte), close)],
  ['instructions, small', around(open, () => repeated('<?p x?>', 15 * megabyte), close)],
  ['name of 15 MB', around(`${open}<`, () => repeated('x', 15 * megabyte), `/>${close}`)],
  ['records with one name', () => repeated(record('c', dublinCore('')), 40 * megabyte)],
].map(([name, inner]) => ({
  name: `list: ${name}`,
  answers: { ListRecords: listed(inner as () => Iterable<string | Buffer>) },
}));

function setsPage(token: (turn: number) => string): HostileAnswer {
  return {
    always: true,
    body: (turn) => [
      `${root}${date}<ListSets>`,
      ...numbered(1000, (at) => `<set><setSpec>${turn}:${at}</setSpec><setName>n</setName></set>`),
      `<resumptionToken>${token(turn)}</resumptionToken></ListSets></OAI-PMH>`,
    ],
  };
}

const pages: readonly Scene[] = [
  { name: 'pages: ListSets, always the same token', answers: { ListSets: setsPage(() => 'same') } },
  { name: 'pages: ListSets, always a new token', answers: { ListSets: setsPage((turn) => `t${turn}`) } },
  {
    name: 'pages: ListSets, a new token of 1 MB, no sets',
    answers: {
      ListSets: {
        always: true,
        body: (turn) => [
          `${root}${date}<ListSets><resumptionToken>${turn}${'x'.repeat(megabyte)}</resumptionToken></ListSets></OAI-PMH>`,
        ],
      },
    },
  },
  {
    name: 'pages: ListRecords, always a new token',
    answers: {
      ListRecords: {
        always: true,
        body: (turn) => [
          `${root}${date}<ListRecords>${record('a', dublinCore(''))}<resumptionToken>t${turn}</resumptionToken></ListRecords></OAI-PMH>`,
        ],
      },
    },
  },
  {
    name: 'pages: ListRecords, a new token of 100 kB',
    answers: {
      ListRecords: {
        always: true,
        body: (turn) => [
          `${root}${date}<ListRecords>${record(`r${turn}`, dublinCore(''))}<resumptionToken>${turn}${'x'.repeat(100_000)}</resumptionToken></ListRecords></OAI-PMH>`,
        ],
      },
    },
  },
];

const small: readonly Scene[] = ['Identify', 'ListSets', 'ListMetadataFormats'].flatMap((verb) =>
  (
    [
      ['attribute of 7 MB', around('<x a="', () => repeated('x', 7 * megabyte), '"/>')],
      ['CDATA of 7 MB', around('<x><![CDATA[', () => repeated('x', 7 * megabyte), ']]></x>')],
      ['comment of 7 MB', around('<!--', () => repeated('x', 7 * megabyte), '-->')],
      ['instruction of 7 MB', around('<?p ', () => repeated('x', 7 * megabyte), '?>')],
      ['texts of 900 kB', () => repeated(`<x>${'x'.repeat(900_000)}</x>`, 6 * megabyte)],
      ['bare ampersands', around('<x>', () => repeated('& ', 900_000), '</x>')],
      ['resumptionTokens', () => numbered(50_000, (at) => `<resumptionToken>t${at}</resumptionToken>`)],
    ] as const
  ).map(([name, inner]) => ({
    name: `small: ${verb}, ${name}`,
    answers: { [verb]: { body: around(`${root}${date}<${verb}>`, inner, `</${verb}></OAI-PMH>`) } },
  })),
);

const json = { 'content-type': 'application/json' };
const rest: readonly Scene[] = (
  [
    ['number of 100 MB', '{"a":', () => repeated('9', 100 * megabyte)],
    ['number of 15 MB', '{"a":', () => repeated('9', 15 * megabyte)],
    ['1,000,000 deep', '{"a":', () => repeated('[', megabyte)],
    ['1,000,000 deep, closed', '{"a":', () => [...repeated('[', megabyte), ...repeated(']', megabyte)]],
    ['escapes', '{"a":"', () => repeated('\\u3042', 15 * megabyte)],
    ['blanks', '', () => repeated(' ')],
  ] as const
).map(([name, start, inner]) => ({
  name: `DSpace REST: ${name}`,
  source: { adapter: 'dspace', url: `${address}/server/api` },
  answers: { '/server/api/': { headers: json, body: around(start, inner, name === 'escapes' ? '"}' : '}') } },
}));

export const exchangeScenes: readonly Scene[] = [
  ...refusals,
  ...redirects,
  ...exchanges,
  ...lists,
  ...pages,
  ...small,
  ...rest,
];
