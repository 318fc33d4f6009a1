import { type Static, Type } from '@sinclair/typebox';
import { accessSchema, setAccessSchema } from '../access/access-schema.ts';
import { crosswalkSchema } from '../crosswalks/crosswalk-schema.ts';
import { resourceSyncSchema } from '../upstream/resourcesync-schema.ts';
import { digestSettings } from './alerts-schema.ts';
import { oaiSchema } from './oai-schema.ts';

/** Unknown keys are errors. */
export const closed = { additionalProperties: false } as const;

const filesSchema = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The format that says which files there are, e.g. xoai; read for this alone if it is not among `formats`. Default: the published formats, then the links of the landing pages.',
      }),
    ),
    mode: Type.Union(
      [Type.Literal('proxy'), Type.Literal('link'), Type.Literal('mirror'), Type.Literal('none')],
      {
        default: 'proxy',
        description:
          'proxy: at our address, fetched on demand; link: the lists lead to the repository; mirror: downloaded and kept, with dumps; none: metadata alone.',
      },
    ),
    bundles: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description: 'DSpace: the bundles whose files are published; default: ORIGINAL.',
      }),
    ),
    verify: Type.Boolean({
      default: true,
      description:
        'Ask for each file (HEAD) before it is published: what is gone or needs a login stays out. A DSpace that states that a file is public is believed until the file is asked for; where it does not say, it is asked first in any case. false: files are published as stated, and asked for afterwards.',
    }),
    checksPerRun: Type.Integer({
      minimum: 0,
      default: 2000,
      description:
        'How many files a run may ask for before it publishes them, and a `rsbridge harvest` without --full after it; the others are published as stated and asked for later, by `serve` at once.',
    }),
    recheckDays: Type.Union([Type.Integer({ minimum: 1 }), Type.Literal(false)], {
      default: 30,
      description:
        'How often a published file is asked for again, beside each time that its record is delivered, and each full pass; false: only then.',
    }),
    landingPagesPerRun: Type.Integer({
      minimum: 0,
      default: 100,
      description: 'How many landing pages a run may read for links to files (FAIR Signposting).',
    }),
    perItem: Type.Integer({
      minimum: 1,
      maximum: 50_000,
      default: 5000,
      description: 'Files of one item that are published; of those beyond, `rsbridge status` says so.',
    }),
    maxFileBytes: Type.Integer({
      minimum: 1,
      default: 20 * 1024 ** 3,
      description: 'mirror: larger files are left out.',
    }),
    quotaBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'mirror: what the files of this source may take on the disk.',
      }),
    ),
    proxyConnections: Type.Integer({
      minimum: 1,
      maximum: 256,
      default: 16,
      description: 'proxy: how many files may be fetched from the repository at a time.',
    }),
    proxyShare: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      default: 0.5,
      description:
        'proxy: the share of `proxyConnections` that one client address (of IPv6: one /64) may hold; the others wait for their turn.',
    }),
  },
  { ...closed, default: {}, description: 'The files of the items, as resources of their own.' },
);

const mementosSchema = Type.Object(
  {
    links: Type.Union([Type.Literal('metadata'), Type.Literal('all'), Type.Literal('none')], {
      default: 'metadata',
      description:
        'Whose entries in the lists lead to their mementos, TimeGates and TimeMaps: metadata; all: mirrored files, too; none. They are served in any case.',
    }),
    keep: Type.Union(
      [
        Type.Literal('all'),
        Type.Object({ last: Type.Integer({ minimum: 1 }) }, closed),
        Type.Object({ days: Type.Integer({ minimum: 1 }) }, closed),
      ],
      {
        default: 'all',
        description:
          'Versions that stay: all; { last: 10 }: so many of each resource; { days: 365 }: those that were current within so many days. The first and the current one always stay.',
      },
    ),
    ofDeleted: Type.Boolean({
      default: true,
      description:
        'Serve the mementos of metadata that was deleted since. Those of files end with the file in any case.',
    }),
  },
  { ...closed, default: {}, description: 'The past of the resources (Memento, RFC 7089).' },
);

/** Nobody's word: sources that have them are spread over the time between two turns. */
export const defaultSchedules = {
  schedule: '*/15 * * * *',
  fullPass: '0 3 * * 0',
  identifierPass: '0 1 * * *',
} as const;

/** What to write for a schedule. */
export const scheduleWords =
  'five or six fields of cron in quotes, such as "*/15 * * * *", or false for never';

/** One repository in the configuration. */
export const sourceSchema = Type.Object(
  {
    adapter: Type.String({
      default: 'oai-pmh',
      description:
        'The upstream protocol: oai-pmh; dspace (7 and later, by REST); dspace-legacy (5 and 6, by /rest); resourcesync (a Source, or a plain Sitemap).',
    }),
    url: Type.String({
      // Credentials go into `headers`: an address is shown to everybody.
      pattern: '^https?://[^/@]+(/|$)',
      write:
        'the web address of the endpoint, http:// or https://, without a name and password, such as https://repo.example.org/oai',
      description:
        'The endpoint, e.g. https://repo.example.org/oai; of a DSpace, https://repo.example.org/server/api or, of an old one, https://repo.example.org/rest; of a Source of ResourceSync, its host, its Source Description, a Capability List or a list',
    }),
    identity: Type.String({
      pattern: '^(uuid|oai(:[A-Za-z0-9][A-Za-z0-9.-]*)?)$',
      write: 'oai, oai:HOST (such as oai:repo.example.org) or uuid',
      default: 'oai',
      description:
        'DSpace: what the addresses of an item are made from. oai: oai:HOST:HANDLE, as its OAI-PMH endpoint calls it, so that they stay when a source moves between the protocols; oai:HOST: the same with a host that you choose; uuid: its UUID.',
    }),
    login: Type.Optional(
      Type.Object(
        {
          user: Type.String({ minLength: 1, description: 'The e-mail address of the account.' }),
          password: Type.String({
            minLength: 1,
            secret: true,
            write: '${VARIABLE}, the name of a variable of the environment, or passwordFile: PATH instead',
            description: '${VARIABLE}, or passwordFile: PATH.',
          }),
        },
        {
          ...closed,
          description:
            'DSpace 7 and later: an account, for version histories that are hidden from the public. Whatever it can see, only what is public is published. Of DSpace 5 and 6 (dspace-legacy) nothing is asked with it.',
        },
      ),
    ),
    oai: Type.Optional(oaiSchema),
    resourcesync: Type.Optional(resourceSyncSchema),
    entityTypes: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description: 'DSpace: only items of these entity types, e.g. [Publication]; default: all items.',
      }),
    ),
    timeZone: Type.String({
      default: 'UTC',
      description: 'DSpace 5 and 6 state times without their zone: this one, e.g. Asia/Tokyo.',
    }),
    title: Type.Optional(
      Type.String({ description: 'Shown on pages; default: what the repository calls itself.' }),
    ),
    group: Type.Optional(
      Type.String({
        description: 'The group of `groups` whose settings it has, where it has none of its own.',
      }),
    ),
    contact: Type.Optional(
      Type.String({ description: 'Instead of the `contact` of all, in requests to this repository.' }),
    ),
    ...digestSettings,
    formats: Type.Optional(
      Type.Union(
        [
          Type.Array(
            Type.Union([
              Type.String({ minLength: 1 }),
              Type.Object({ name: Type.String({ minLength: 1 }), from: Type.Literal('oai') }, closed),
            ]),
            { minItems: 1, uniqueItems: true },
          ),
          Type.Object(
            {
              from: Type.Literal('oai'),
              names: Type.Optional(
                Type.Array(Type.String({ minLength: 1 }), { minItems: 1, uniqueItems: true }),
              ),
            },
            closed,
          ),
        ],
        {
          description:
            'Metadata formats to publish, e.g. [oai_dc, jpcoar]; default: every offered format whose namespace is known; of a DSpace, [oai_dc, dim, qdc, json]; jpcoar_2.0 and oai_openaire are made, too, if they are named. DSpace: { name: mets, from: oai } in the list takes one from its OAI-PMH endpoint, verbatim; { from: oai } alone takes all that are known there, beside json.',
        },
      ),
    ),
    crosswalk: Type.Optional(crosswalkSchema),
    collections: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Harvest only these collections (OAI setSpecs); default: everything.',
      }),
    ),
    files: filesSchema,
    sets: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          {
            title: Type.Optional(Type.String({ description: 'Shown on pages; default: the name.' })),
            collections: Type.Optional(
              Type.Array(Type.String({ minLength: 1 }), {
                minItems: 1,
                description: 'Only what is in one of these collections (OAI setSpecs) or below it.',
              }),
            ),
            formats: Type.Optional(
              Type.Array(Type.String({ minLength: 1 }), {
                minItems: 1,
                description: 'Only metadata in one of these formats.',
              }),
            ),
            access: Type.Optional(setAccessSchema),
          },
          closed,
        ),
        {
          description:
            'Sets of your own, published at SOURCE/sets/NAME: by collection, by format, or both. Every source has two without asking: SOURCE and SOURCE/metadata.',
        },
      ),
    ),
    dumps: Type.Array(Type.String(), {
      default: ['metadata'],
      description:
        'Sets offered as Resource Dump and Change Dump too: all, metadata, or names of `sets`. Each costs about as much disk as its content, compressed.',
    }),
    mirrors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            url: Type.String({
              pattern: '^[A-Za-z][A-Za-z0-9+.-]*://[^?#]+$',
              write: 'the address of the copy, without ? and #, such as https://mirror.example.org/rs',
              description: 'What takes the place of `baseUrl` there.',
            }),
            pri: Type.Optional(
              Type.Integer({ minimum: 1, maximum: 999_999, description: 'Smaller is preferred.' }),
            ),
          },
          closed,
        ),
        {
          description:
            'Copies of the publication elsewhere (rsbridge export): every resource gets a `duplicate` link to each.',
        },
      ),
    ),
    mementos: mementosSchema,
    access: Type.Optional(accessSchema),
    search: Type.Boolean({
      default: true,
      description: 'Whether its items are found by words (/search).',
    }),
    patches: Type.Boolean({
      default: false,
      description:
        'With every change of an XML record, a link to an XML patch (RFC 5261) from the version before.',
    }),
    schedule: Type.Union([Type.String(), Type.Literal(false)], {
      write: scheduleWords,
      default: defaultSchedules.schedule,
      description:
        'When `serve` harvests what is new: cron, in `timeZone`, with optional seconds; false: never. Sources that share a schedule are spread over it (see below).',
    }),
    fullPass: Type.Union([Type.String(), Type.Literal(false)], {
      write: scheduleWords,
      default: defaultSchedules.fullPass,
      description:
        'When `serve` reads the whole repository again, to find deletions that it does not announce.',
    }),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 2,
        description:
          'OAI-PMH: how many records the endpoint puts on a page, where you know it. A shorter list without a token, which looks like a page whose token was forgotten, is taken for whole, unless other lists have more.',
      }),
    ),
    overlapSeconds: Type.Integer({
      minimum: 0,
      default: 300,
      description: 'How far an incremental harvest reaches back behind the last one (indexes lag).',
    }),
    deletionFuse: Type.Object(
      {
        share: Type.Number({ minimum: 0, maximum: 1, default: 0.1 }),
        atLeast: Type.Integer({ minimum: 0, default: 20 }),
      },
      {
        ...closed,
        default: {},
        description:
          'A full pass that would delete more than this share, and more than this number, stops; and where the servers of more files than that refuse them within a day, those are neither served nor deleted.',
      },
    ),
    identifierPass: Type.Union([Type.String(), Type.Literal(false)], {
      write: scheduleWords,
      default: defaultSchedules.identifierPass,
      description: 'When `serve` lists all identifiers, to find deletions sooner, and at little cost.',
    }),
    requestsPerHost: Type.Integer({
      minimum: 1,
      maximum: 32,
      default: 1,
      description:
        'Requests under way at one host, over all processes at the database (of a DSpace by REST, 2 unless said otherwise). From 2 on, large lists are read in several windows at a time, and files are fetched side by side.',
    }),
    politenessGroup: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A name for a machine that has many: the hosts of all sources with this name count as one host for `requestsPerHost`, and rest together when one of them asks for it.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String({
          pattern: '^[\\t\\x20-\\x7e]*$',
          secret: true,
          write: 'one line of ASCII characters (encode others, e.g. as base64)',
        }),
        {
          description:
            'Sent to the host of `url` alone, e.g. { Authorization: "Bearer ${TOKEN}" }; never logged.',
        },
      ),
    ),
    timeoutSeconds: Type.Integer({
      minimum: 1,
      default: 300,
      description: 'How long the server may send nothing; the whole request may take longer.',
    }),
    slowestBytesPerSecond: Type.Integer({
      minimum: 0,
      default: 256,
      description:
        'A response that comes more slowly for two minutes of waiting is given up, a file passed through to a client as well; 0: none is. What a server computes before it answers does not count: that is `timeoutSeconds`.',
    }),
    maxResponseBytes: Type.Integer({ minimum: 1024, default: 2 * 1024 ** 3 }),
    allowPrivateAddresses: Type.Boolean({
      default: false,
      description: 'Follow redirects and links to private addresses other than the host of `url`.',
    }),
    privateHost: Type.Boolean({
      default: true,
      description:
        'Whether the host of `url` may have a private address. false: it has to be public, or in `network.allow`, as it is with sources that were added in the dashboard or by /api/v1.',
    }),
  },
  // Without a default of its own, TypeBox would not fill in those of its properties.
  { ...closed, default: {} },
);

export type SourceConfig = Static<typeof sourceSchema>;
export type FilesConfig = Static<typeof filesSchema>;
export type MementosConfig = Static<typeof mementosSchema>;
