import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { findFaults, isObject, matchesLiterals } from './config-faults.ts';
import { BridgeError } from './errors.ts';

/**
 * One schema is the type, the validation, the defaults and the reference (`docs/configuration.md` is written
 * from its descriptions). Unknown keys are errors with a suggestion.
 */

const closed = { additionalProperties: false } as const;

const databaseSchema = Type.Union(
  [
    Type.Object(
      { client: Type.Literal('sqlite'), file: Type.String({ minLength: 1, default: 'data/rsbridge.db' }) },
      closed,
    ),
    Type.Object(
      {
        client: Type.Literal('pg'),
        url: Type.String({ minLength: 1, description: 'postgres://user:${PASSWORD}@host/database' }),
        poolSize: Type.Integer({ minimum: 4, maximum: 100, default: 10 }),
      },
      closed,
    ),
  ],
  { description: 'Where everything is kept. SQLite needs no set-up; PostgreSQL serves several processes.' },
);

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
    verify: Type.Boolean({
      default: true,
      description:
        'Ask for each file (HEAD) before it is published: what is gone or needs a login stays out.',
    }),
    checksPerRun: Type.Integer({
      minimum: 0,
      default: 2000,
      description:
        'How many files a run may ask for; the others are published as stated and asked for later.',
    }),
    recheckDays: Type.Union([Type.Integer({ minimum: 1 }), Type.Literal(false)], {
      default: 30,
      description: 'How often a published file is asked for again; false: never.',
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
      description: 'proxy: files that may be on their way from the repository at a time.',
    }),
  },
  { ...closed, default: {}, description: 'The files of the items, as resources of their own.' },
);

const sourceSchema = Type.Object(
  {
    adapter: Type.String({ default: 'oai-pmh', description: 'The upstream protocol: oai-pmh.' }),
    url: Type.String({
      // Credentials go into `headers`: an address is shown to everybody.
      pattern: '^https?://[^/@]+(/|$)',
      description: 'The endpoint, e.g. https://repo.example.org/oai',
    }),
    title: Type.Optional(
      Type.String({ description: 'For people; default: what the repository calls itself.' }),
    ),
    formats: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Metadata formats to publish; default: every offered format whose namespace is known.',
      }),
    ),
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
            title: Type.Optional(Type.String({ description: 'For people; default: the name.' })),
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
    patches: Type.Boolean({
      default: false,
      description:
        'With every change of an XML record, a link to an XML patch (RFC 5261) from the version before.',
    }),
    schedule: Type.Union([Type.String(), Type.Literal(false)], {
      default: '*/15 * * * *',
      description: 'When `serve` harvests what is new: cron, UTC, with optional seconds; false: never.',
    }),
    fullPass: Type.Union([Type.String(), Type.Literal(false)], {
      default: '0 3 * * 0',
      description: 'When `serve` reads the whole repository again, to notice what vanished without a trace.',
    }),
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
        description: 'A full pass that would delete more than this share, and more than this number, stops.',
      },
    ),
    identifierPass: Type.Union([Type.String(), Type.Literal(false)], {
      default: '0 1 * * *',
      description: 'When `serve` lists all identifiers, to notice sooner, and cheaply, what vanished.',
    }),
    requestsPerHost: Type.Integer({
      minimum: 1,
      maximum: 32,
      default: 1,
      description:
        'Requests under way at one host. From 2 on, large lists are read in several windows at a time, and files are fetched side by side.',
    }),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ pattern: '^[\\t\\x20-\\x7e]*$' }), {
        description:
          'Sent to the host of `url` alone, e.g. { Authorization: "Bearer ${TOKEN}" }; never logged.',
      }),
    ),
    timeoutSeconds: Type.Integer({ minimum: 1, default: 300, description: 'Of silence, not of the whole.' }),
    maxResponseBytes: Type.Integer({ minimum: 1024, default: 2 * 1024 ** 3 }),
    allowPrivateAddresses: Type.Boolean({
      default: false,
      description: 'Follow redirects and links to private addresses other than the host of `url`.',
    }),
  },
  // Without a default of its own, TypeBox would not fill in those of its properties.
  { ...closed, default: {} },
);

export const configSchema = Type.Object(
  {
    baseUrl: Type.String({
      pattern: '^https?://[^/?#]+(/[^?#]*)?$',
      default: 'http://localhost:8080',
      description: 'Where the world sees us; may have a path, e.g. https://repo.example.ac.jp/rs',
    }),
    title: Type.String({
      default: 'ResourceSync bridge',
      description: 'The institution, on the pages for people.',
    }),
    contact: Type.Optional(
      Type.String({ description: 'An e-mail address for the User-Agent and From of every request we make.' }),
    ),
    database: { ...databaseSchema, default: { client: 'sqlite', file: 'data/rsbridge.db' } },
    directory: Type.String({ default: 'data', description: 'Where the published documents are kept.' }),
    listen: Type.Object(
      {
        host: Type.String({ default: '127.0.0.1' }),
        port: Type.Integer({ minimum: 0, maximum: 65_535, default: 8080 }),
      },
      { ...closed, default: {} },
    ),
    publish: Type.Object(
      {
        resourceListSchedule: Type.Union([Type.String(), Type.Literal(false)], {
          default: '30 2 * * *',
          description: 'When `serve` takes a new snapshot of the Resource Lists (cron, UTC).',
        }),
        changeListDays: Type.Integer({
          minimum: 1,
          default: 30,
          description: 'What changelist.xml reaches back.',
        }),
        changeListMinutes: Type.Integer({
          minimum: 1,
          maximum: 1440,
          default: 60,
          description:
            'How long a dated Change List stays open, counted from midnight UTC; with dumps, a package follows each.',
        }),
        resourceDumpSchedule: Type.Union([Type.String(), Type.Literal(false)], {
          default: '0 4 * * 0',
          description:
            'When `serve` builds new Resource Dumps (cron, UTC); the first follows the first harvest.',
        }),
        packageBytes: Type.Integer({
          minimum: 65_536,
          default: 1024 ** 3,
          description: 'A package of a Resource Dump is closed before it grows beyond this many bytes.',
        }),
        archives: Type.Boolean({
          default: false,
          description:
            'Keep and list what was published before (ResourceSync Archives, a draft: some clients refuse it).',
        }),
        retention: Type.Object(
          {
            changeListDays: Type.Union([Type.Integer({ minimum: 1 }), Type.Literal(false)], {
              default: 365,
              description: 'How long closed Change Lists stay; false: for ever.',
            }),
            changeDumpDays: Type.Union([Type.Integer({ minimum: 1 }), Type.Literal(false)], {
              default: 90,
              description: 'How long the packages of Change Dumps stay; false: as long as the lists.',
            }),
            resourceLists: Type.Integer({
              minimum: 2,
              default: 2,
              description:
                'Snapshots of a Resource List of several parts that stay, the current one included.',
            }),
            resourceDumps: Type.Integer({
              minimum: 1,
              default: 2,
              description:
                'Resource Dumps that stay, the current one included: a long download outlives a new one.',
            }),
            archiveDays: Type.Union([Type.Integer({ minimum: 1 }), Type.Literal(false)], {
              default: false,
              description: 'How long archived documents stay; false: for ever.',
            }),
          },
          { ...closed, default: {}, description: 'What is removed from the disk, and when.' },
        ),
        robots: Type.Boolean({ default: true, description: 'Name the Resource Lists in robots.txt.' }),
      },
      { ...closed, default: {} },
    ),
    sources: Type.Record(Type.String({ pattern: '^[a-z0-9-]+$' }), sourceSchema, {
      default: {},
      description: 'The repositories, by the name that begins their URIs.',
    }),
    network: Type.Object(
      {
        allow: Type.Array(Type.String({ minLength: 1 }), {
          default: [],
          description:
            'Private addresses that links and redirects found in records may lead to: a host, host:port, an address, or a range such as 10.0.0.0/8. The address of a source needs no entry.',
        }),
      },
      { ...closed, default: {} },
    ),
    logLevel: Type.Union(
      ['debug', 'info', 'warn', 'error', 'silent'].map((level) => Type.Literal(level)) as [
        ReturnType<typeof Type.Literal<'debug'>>,
        ReturnType<typeof Type.Literal<'info'>>,
        ReturnType<typeof Type.Literal<'warn'>>,
        ReturnType<typeof Type.Literal<'error'>>,
        ReturnType<typeof Type.Literal<'silent'>>,
      ],
      { default: 'info' },
    ),
  },
  closed,
);

export type Config = Static<typeof configSchema>;
export type SourceConfig = Static<typeof sourceSchema>;
export type FilesConfig = Static<typeof filesSchema>;
export type DatabaseConfig = Config['database'];

/**
 * Validates a parsed configuration and fills in the defaults.
 * @throws BridgeError `config-invalid` naming every fault: where, what, and the nearest known key
 */
export function parseConfig(raw: unknown): Config {
  // Values from the environment are texts; where a number or a truth value is due, they are read as one.
  const filled = Value.Convert(configSchema, withDefaults(Value.Clone(raw ?? {})));
  const faults = [...findFaults(filled, configSchema)];
  if (faults.length > 0) throw new BridgeError('config-invalid', faults.join('\n'));
  const config = filled as Config;
  return { ...config, baseUrl: config.baseUrl.replace(/\/+$/, '') };
}

/** TypeBox would fill in the defaults of every alternative of a union; only the chosen one's are meant. */
function withDefaults(raw: unknown): unknown {
  if (!isObject(raw) || !isObject(raw.database)) return Value.Default(configSchema, raw);
  const { database, ...rest } = raw;
  const chosen = databaseSchema.anyOf.find((option) => matchesLiterals(database, option));
  const filled = Value.Default(configSchema, rest) as Record<string, unknown>;
  return { ...filled, database: chosen ? Value.Default(chosen, database) : database };
}
