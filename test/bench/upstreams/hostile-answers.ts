/** What a hostile repository answers: `request` undefined stands for an honest one. */
export interface HostileAnswer {
  /** @param turn how often it was given before */
  readonly body: (turn: number) => Iterable<string | Buffer>;
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** How it is sent; `unsaid`: gzip without a header that says so, `members`: gzip of many members. */
  readonly coding?: 'gzip' | 'deflate' | 'br' | 'unsaid' | 'members';
  /** Written to the connection as it is, with status line and headers. */
  readonly raw?: true;
  /** Also to requests with a token or dates. */
  readonly always?: true;
}

export interface Scene {
  readonly name: string;
  /** The answer to a verb of OAI-PMH, or to a path; whatever else is asked is answered honestly. */
  readonly answers: Readonly<Record<string, HostileAnswer>>;
  readonly source?: Readonly<Record<string, unknown>>;
  /** Its only format; default: oai_dc. */
  readonly format?: readonly [prefix: string, namespace: string];
}

export const megabyte = 1024 * 1024;
const endless = 200 * megabyte;
export const dcNamespace = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
export const root = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">';
export const date = '<responseDate>2026-03-01T00:00:00Z</responseDate>';

export function envelope(verb: string, inner: string): string {
  return `${root}${date}<${verb}>${inner}</${verb}></OAI-PMH>`;
}

export function dublinCore(inner: string): string {
  return `<oai_dc:dc xmlns:oai_dc="${dcNamespace}" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>t</dc:title>${inner}</oai_dc:dc>`;
}

export function record(identifier: string, metadata: string, sets = ''): string {
  return `<record>${header(identifier, sets)}<metadata>${metadata}</metadata></record>`;
}

export function header(identifier: string, sets = ''): string {
  return `<header><identifier>${identifier}</identifier><datestamp>2020-01-01T00:00:00Z</datestamp>${sets}</header>`;
}

/** The piece again and again. */
export function* repeated(piece: string | Buffer, length = endless): Generator<string | Buffer> {
  const times = Math.ceil(megabyte / piece.length);
  const chunk = typeof piece === 'string' ? piece.repeat(times) : Buffer.alloc(times * piece.length, piece);
  for (let sent = 0; sent < length; sent += chunk.length) yield chunk;
}

export function* numbered(count: number, piece: (index: number) => string): Generator<string> {
  for (let from = 0; from < count; from += 1000) {
    yield Array.from({ length: Math.min(1000, count - from) }, (_, index) => piece(from + index)).join('');
  }
}

type Pieces = () => Iterable<string | Buffer>;

/** Between two honest records. */
function list(inner: Pieces, verb = 'ListRecords'): HostileAnswer {
  return {
    body: function* () {
      yield `${root}${date}<${verb}>${record('a', dublinCore(''))}`;
      yield* inner();
      yield `${record('z', dublinCore(''))}</${verb}></OAI-PMH>`;
    },
  };
}

export function around(before: string, inner: Pieces, after = ''): Pieces {
  return function* () {
    yield before;
    yield* inner();
    yield after;
  };
}

function listScene(name: string, before: string, inner: Pieces, after = ''): Scene {
  return { name, answers: { ListRecords: list(around(before, inner, after)) } };
}

export const text = () => repeated('x');
const inMetadata = (start: string) =>
  `<record>${header('c')}<metadata>${dublinCore('').replace('</oai_dc:dc>', '')}${start}`;
const behindMetadata = '</oai_dc:dc></metadata></record>';

/** What lies in a list of records. */
const lists: readonly Scene[] = [
  listScene('honest', '', () => []),
  listScene('identifier', '<record><header><identifier>', text, '</identifier></header></record>'),
  listScene('datestamp', '<record><header><identifier>c</identifier><datestamp>', text, '</datestamp>'),
  listScene('setSpec', '<record><header><identifier>c</identifier><setSpec>', text, '</setSpec>'),
  listScene('resumptionToken', '<resumptionToken>', text, '</resumptionToken>'),
  listScene('comment', '<!--', text, '-->'),
  listScene('comment in a record', '<record><!--', text, '-->'),
  listScene('CDATA', inMetadata('<![CDATA['), text, `]]>${behindMetadata}`),
  listScene('instruction', '<?p ', text, '?>'),
  listScene('instruction in a record', '<record><?p ', text, '?>'),
  listScene('name of a tag', '<', text, '/>'),
  listScene('attribute', '<x a="', text, '"/>'),
  listScene('attribute in a record', inMetadata('<dc:title a="'), text, `"/>${behindMetadata}`),
  listScene('attributes', '<x ', () => numbered(3_000_000, (at) => `a${at}="" `), '/>'),
  listScene('attributes in a record', inMetadata('<dc:title '), manyAttributes, `/>${behindMetadata}`),
  listScene('attributes in a header', '<record><header ', manyAttributes, `>`),
  listScene(
    'attributes, 10 MB',
    inMetadata('<dc:title '),
    () => numbered(900_000, (at) => `a${at}="" `),
    `/>${behindMetadata}`,
  ),
  listScene(
    'attributes, small tags',
    inMetadata(''),
    () => repeated(`<x ${[...numbered(2000, (at) => `a${at}="" `)].join('')}/>`, 15 * megabyte),
    behindMetadata,
  ),
  listScene(
    'namespaces',
    inMetadata('<dc:title '),
    () => numbered(700_000, (at) => `xmlns:a${at}="u" `),
    `/>${behindMetadata}`,
  ),
  listScene('empty elements', inMetadata(''), () => repeated('<b/>', 15 * megabyte), behindMetadata),
  listScene('empty elements outside', '', () => repeated('<b/>', 60 * megabyte)),
  listScene('nested', inMetadata(''), () => repeated('<b>', 30 * megabyte)),
  listScene('entities', inMetadata(''), () => repeated('&amp;', 15 * megabyte), behindMetadata),
  listScene('bare ampersands', inMetadata('&'), () => repeated('& ', 15 * megabyte), behindMetadata),
  listScene('four records of 15 MB', '', function* () {
    for (const name of ['b', 'c', 'd', 'e']) {
      yield inMetadata('<dc:description>').replace('>c<', `>${name}<`);
      yield* repeated('lorem ipsum ', 14.5 * megabyte);
      yield `</dc:description>${behindMetadata}`;
    }
  }),
  listScene('two records of 15 MB in kana', '', function* () {
    for (const name of ['b', 'c']) {
      yield inMetadata('<dc:description>').replace('>c<', `>${name}<`);
      yield* repeated('あいう', 14.5 * megabyte);
      yield `</dc:description>${behindMetadata}`;
    }
  }),
  listScene(
    'sets of a header',
    `<record>${header('c').replace('</header>', '')}`,
    () => numbered(50_000, (at) => `<setSpec>s:${at}</setSpec>`),
    `</header><metadata>${dublinCore('')}</metadata></record>`,
  ),
  listScene('records without a name', '', () => repeated('<record/>', 40 * megabyte)),
  {
    name: 'DOCTYPE',
    answers: { ListRecords: { body: around('<!DOCTYPE x [', () => repeated('<!ENTITY a "b">'), ']>') } },
  },
  { name: 'blanks', answers: { ListRecords: { body: () => repeated(' ') } } },
  {
    name: 'no UTF-8',
    answers: { ListRecords: list(() => repeated(Buffer.from([0xe9, 0x20]), 60 * megabyte)) },
  },
  {
    name: 'page for people',
    answers: { ListRecords: { body: around('<html>', () => repeated('<p>x</p>')) } },
  },
  {
    name: 'errors',
    answers: {
      ListRecords: { body: around(root, () => repeated('<error code="x">y</error>', 60 * megabyte)) },
    },
  },
  { name: 'responseDate', answers: { ListRecords: { body: around(`${root}<responseDate>`, text) } } },
];

function manyAttributes(): Iterable<string> {
  return numbered(3_000_000, (at) => `a${at}="" `);
}

/** What is read as a whole. */
const small: readonly Scene[] = ['Identify', 'ListSets', 'ListMetadataFormats'].flatMap((verb) => {
  const start = `${root}${date}<${verb}>`;
  const end = `</${verb}></OAI-PMH>`;
  const scene = (what: string, inner: Pieces): Scene => ({
    name: `${verb}: ${what}`,
    answers: { [verb]: { body: around(start, inner, end) } },
  });
  return [
    scene('text', around('<repositoryName>', text)),
    scene(
      '7 MB of text',
      around('<repositoryName>', () => repeated('x', 6.5 * megabyte), '</repositoryName>'),
    ),
    scene('attribute', around('<x a="', text)),
    scene(
      '7 MB of attributes',
      around('<x ', () => numbered(600_000, (at) => `a${at}="" `), '/>'),
    ),
    scene('comment', around('<!--', text)),
    scene('nested', () => repeated('<b>', 7 * megabyte)),
    scene('70,000 elements', () => numbered(70_000, (at) => `<b>${at}</b>`)),
    scene(
      'entities',
      around('<repositoryName>', () => repeated('&amp;', 7 * megabyte), '</repositoryName>'),
    ),
  ];
});

const sets: readonly Scene[] = [
  {
    name: 'ListSets: 20,000 sets',
    answers: {
      ListSets: {
        body: around(
          `${root}${date}<ListSets>`,
          () => numbered(20_000, (at) => `<set><setSpec>${at}</setSpec><setName>${at}</setName></set>`),
          '</ListSets></OAI-PMH>',
        ),
      },
    },
  },
  {
    name: 'ListMetadataFormats: 18,000 formats',
    answers: {
      ListMetadataFormats: {
        body: around(
          `${root}${date}<ListMetadataFormats>`,
          () =>
            numbered(
              18_000,
              (at) =>
                `<metadataFormat><metadataPrefix>f${at}</metadataPrefix><schema>http://x/</schema><metadataNamespace>${dcNamespace}</metadataNamespace></metadataFormat>`,
            ),
          '</ListMetadataFormats></OAI-PMH>',
        ),
      },
    },
  },
];

/** Behind a record in doubt: it is asked for by itself. */
const single: readonly Scene[] = [
  {
    name: 'GetRecord: identifier',
    answers: {
      ListRecords: { body: () => ['<'] },
      GetRecord: list(around('<record><header><identifier>', text), 'GetRecord'),
    },
  },
];

export const codings = ['gzip', 'deflate', 'br', 'unsaid', 'members'] as const;
const bombs: readonly Scene[] = codings.flatMap((coding) => [
  {
    name: `bomb, ${coding}: ListRecords`,
    answers: {
      ListRecords: { coding, body: around(`${root}<ListRecords><record><header><identifier>`, text) },
    },
  },
  {
    name: `bomb, ${coding}: blanks`,
    answers: { ListRecords: { coding, body: () => repeated(' ', 1000 * megabyte) } },
  },
  {
    name: `bomb, ${coding}: Identify`,
    answers: { Identify: { coding, body: around(`${root}<Identify><repositoryName>`, text) } },
  },
  {
    name: `bomb, ${coding}: a file`,
    answers: {
      '/file.pdf': { coding, headers: { 'content-type': 'application/pdf' }, body: () => repeated('x') },
    },
  },
  {
    name: `bomb, ${coding}: landing page`,
    answers: {
      '/page': {
        coding,
        headers: { 'content-type': 'text/html' },
        body: around('<html><head><title>', text),
      },
    },
  },
]);

/** Answers to requests of OAI-PMH. */
export const protocolScenes: readonly Scene[] = [...lists, ...small, ...sets, ...single, ...bombs];
