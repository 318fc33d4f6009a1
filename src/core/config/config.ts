import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { withPrivateSets } from '../access/private-sets.ts';
import { BridgeError } from '../errors.ts';
import { coarNotifySchema } from '../notifications/coar-notify-schema.ts';
import { pushSchema } from '../push/push-schema.ts';
import { adminSchema } from './admin-schema.ts';
import { alertsSchema, optionalMail } from './alerts-schema.ts';
import { findFaults } from './config-faults.ts';
import { databaseSchema } from './database-schema.ts';
import { jointOaiSchema } from './oai-schema.ts';
import { pagesSchema } from './pages-schema.ts';
import { isObject, matchesLiterals, schemaFaults } from './schema-faults.ts';
import { groupsSchema, withGroups } from './source-groups.ts';
import { closed, scheduleWords, sourceSchema } from './source-schema.ts';
import { storageSchema } from './storage-schema.ts';

/**
 * One schema is the type, the validation, the defaults and the reference (`docs/configuration.md` is written
 * from its descriptions). Unknown keys are errors with a suggestion.
 */

const sourcesSchema = Type.Record(Type.String({ pattern: '^[a-z0-9-]+$' }), sourceSchema, {
  default: {},
  description: 'The repositories, by the name that begins their URIs.',
  write: 'each source below a name, such as { repo: { url: https://repo.example.org/oai } }',
});

const someNames = (description: string, pattern?: string) => {
  const name = Type.String({ minLength: 1, ...(pattern === undefined ? {} : { pattern }) });
  return Type.Optional(Type.Array(name, { minItems: 1, description }));
};

const jointSetsSchema = Type.Record(
  Type.String({ pattern: '^[a-z0-9-]+$' }),
  Type.Object(
    {
      title: Type.Optional(Type.String({ description: 'Shown on pages; default: the name.' })),
      sources: someNames(
        'Only these sources, and those of `groups`; `*` stands for any characters.',
        '^[a-z0-9*-]+$',
      ),
      groups: someNames(
        'Only sources of these groups, and those of `sources`; `*` stands for any characters.',
        '^[a-z0-9*-]+$',
      ),
      collections: someNames(
        'Only what is in one of these collections (OAI setSpecs) or below it: of any of the sources, or of one, as `SOURCE/SPEC`. With `*` at the end: all whose names begin so.',
      ),
      formats: someNames('Only metadata in one of these formats.'),
      dumps: Type.Optional(
        Type.Boolean({
          description:
            'Whether the set has dumps of its own; default: no. They take as much room again as those of its sources. They are offered as long as every resource of the set can be in them: where files of a source are passed on or only linked to, name `formats`.',
        }),
      ),
    },
    closed,
  ),
  {
    default: {},
    description:
      'Sets across sources, each with lists of its own: one called `all` at /all, others at /sets/NAME. Without conditions (`all: {}`) everything of all sources is in it.',
    write: 'each set below a name, such as { all: {}, theses: { formats: [jpcoar_2.0] } }',
  },
);

export const configSchema = Type.Object(
  {
    baseUrl: Type.String({
      pattern: '^https?://[^/?#]+(/[^?#]*)?$',
      write: 'a web address, http:// or https://, without ? and #, such as https://repo.example.ac.jp/rs',
      default: 'http://localhost:8080',
      description: 'The public address of the bridge; may have a path, e.g. https://repo.example.ac.jp/rs',
    }),
    title: Type.String({
      default: 'ResourceSync bridge',
      description: 'The name of the institution, on the HTML pages.',
    }),
    timeZone: Type.String({
      minLength: 1,
      default: 'UTC',
      description:
        'The time zone of all schedules, such as Asia/Tokyo: of the sources, and of what is done at night.',
    }),
    pages: pagesSchema,
    contact: Type.Optional(
      Type.String({ description: 'An e-mail address for the User-Agent and From of every request we make.' }),
    ),
    database: { ...databaseSchema, default: { client: 'sqlite', file: 'data/rsbridge.db' } },
    directory: Type.String({ default: 'data', description: 'Where the published documents are kept.' }),
    storage: storageSchema,
    role: Type.Union([Type.Literal('all'), Type.Literal('web'), Type.Literal('work')], {
      default: 'all',
      description:
        'What `serve` does: `web` answers requests, `work` harvests, publishes and keeps order, `all` does both. Any number of each at one database share the work.',
    }),
    listen: Type.Object(
      {
        host: Type.String({ default: '127.0.0.1' }),
        port: Type.Integer({ minimum: 0, maximum: 65_535, default: 8080 }),
        processes: Type.Integer({
          minimum: 1,
          maximum: 64,
          default: 1,
          description:
            'Processes that answer requests at this port. 1: the one that harvests and publishes answers, too. With 2 and more, so many others answer, each with up to 256 MB of memory and its own connections to the database; not to be confused with `workers`, which are threads that read for harvests.',
        }),
        health: Type.Boolean({
          default: true,
          description:
            'Whether a process that only works (`role`) answers /livez, /readyz and /metrics at this port; nobody but monitors needs that.',
        }),
        metrics: Type.Boolean({
          default: true,
          description:
            'Whether /metrics is answered at this port; false: only at that of `admin.listen`, and at the port of a process that only works (`role`).',
        }),
        minBytesPerSecond: Type.Integer({
          minimum: 0,
          default: 2048,
          description:
            'A client that reads an answer more slowly than this for longer than `slowReaderSeconds` is disconnected; 0: never.',
        }),
        slowReaderSeconds: Type.Integer({
          minimum: 1,
          default: 30,
          description: 'How long a client may read nothing at all.',
        }),
        trustedProxies: Type.Array(Type.String({ minLength: 1 }), {
          default: ['127.0.0.0/8', '::1'],
          description:
            'Reverse proxies whose `X-Forwarded-For` is believed: addresses or ranges. The address of the client counts when connections are shared (`files.proxyShare`).',
        }),
      },
      { ...closed, default: {} },
    ),
    adminPassword: Type.Optional(
      Type.String({
        minLength: 8,
        maxLength: 1024,
        secret: true,
        write: 'adminPasswordFile: PATH, or ${VARIABLE}; 8 characters or more',
        description:
          'The password of the account `admin` of the dashboard; write adminPasswordFile: PATH. Default: it is set by a link that `serve` prints at its first start.',
      }),
    ),
    admin: adminSchema,
    publish: Type.Object(
      {
        resourceListSchedule: Type.Union([Type.String(), Type.Literal(false)], {
          write: scheduleWords,
          default: '30 2 * * *',
          description: 'When `serve` takes a new snapshot of the Resource Lists (cron, in `timeZone`).',
        }),
        changeListDays: Type.Integer({
          minimum: 1,
          default: 30,
          description: 'How many days changelist.xml goes back.',
        }),
        changeListMinutes: Type.Integer({
          minimum: 1,
          maximum: 1440,
          default: 60,
          description:
            'How long a dated Change List stays open, counted from midnight UTC; with dumps, a package follows each.',
        }),
        resourceDumpSchedule: Type.Union([Type.String(), Type.Literal(false)], {
          write: scheduleWords,
          default: '0 4 * * 0',
          description:
            'When `serve` builds new Resource Dumps (cron, in `timeZone`); the first follows the first harvest.',
        }),
        packageBytes: Type.Integer({
          minimum: 65_536,
          default: 1024 ** 3,
          description: 'A package of a Resource Dump is closed before it grows beyond this many bytes.',
        }),
        archives: Type.Boolean({
          default: false,
          description:
            'Keep and list what was published before (ResourceSync Archives, a draft: some clients refuse it). Resource Lists of before something was withdrawn, or became private, go ([takedown.md](takedown.md)).',
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
            listsInTime: Type.Integer({
              minimum: 1,
              default: 20,
              description:
                'Rendered Resource Lists of past times that stay, of each set; others are rendered again on request.',
            }),
            listsInTimeBytes: Type.Integer({
              minimum: 1_048_576,
              default: 5 * 1024 ** 3,
              description: 'What they may take on the disk, all sets together.',
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
    include: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }))], {
        write: 'the path of a file, or of several with *, such as sources/*.yaml',
        description:
          'More files with `sources` and `groups`, which are as if they stood here: a path or a list of them, relative to this file; `*` stands for any characters in a name.',
      }),
    ),
    sources: sourcesSchema,
    groups: groupsSchema,
    sets: jointSetsSchema,
    oai: Type.Optional(jointOaiSchema),
    runs: Type.Object(
      {
        days: Type.Integer({
          minimum: 1,
          default: 90,
          description: 'How long a run stays, with its problems.',
        }),
        idleDays: Type.Integer({
          minimum: 1,
          default: 2,
          description: 'How long one stays that found nothing new and met no problem.',
        }),
      },
      {
        ...closed,
        default: {},
        description:
          'The history of the harvests. The latest run of each kind stays, and so does a run that something undecided refers to.',
      },
    ),
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
    mail: optionalMail,
    alerts: alertsSchema,
    coarNotify: coarNotifySchema,
    push: pushSchema,
    search: Type.Boolean({
      default: true,
      description:
        'Whether people find items by words (/search), and lists name items by their titles. The index is made from what is published, beside other work, and takes about half a kilobyte for each item (on PostgreSQL one); `sources.NAME.search` leaves one source out. false: it is emptied.',
    }),
    workers: Type.Integer({
      minimum: 0,
      maximum: 16,
      default: 0,
      description:
        'Threads that read the answers of OAI-PMH repositories, for all sources together, so that the main thread only stores; 1 or 2 where there are cores to spare. Each takes about 50 MB while there is something to read. 0: the main thread reads.',
    }),
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
export type { FilesConfig, MementosConfig, SourceConfig } from './source-schema.ts';
export type { S3Config, StorageConfig } from './storage-schema.ts';
export type DatabaseConfig = Config['database'];

/**
 * Validates a parsed configuration and fills in the defaults.
 * @throws BridgeError `config-invalid` naming every fault: where, what, and the nearest known key
 */
export function parseConfig(raw: unknown): Config {
  // Converted, a list would be sources named 0, 1, 2.
  if (isObject(raw) && Array.isArray(raw.sources))
    throw new BridgeError(
      'config-invalid',
      [...schemaFaults(sourcesSchema, raw.sources, 'sources')].join('\n'),
    );
  refuseGroups(raw);
  // Values from the environment are texts; where a number or a truth value is due, they are read as one.
  const whole = withZoneOfPages(withDefaultsOfAdapters(withGroups(Value.Clone(raw ?? {}))));
  const filled = Value.Convert(configSchema, withDefaults(whole));
  const faults = [...findFaults(filled, configSchema)];
  if (faults.length > 0) throw new BridgeError('config-invalid', faults.join('\n'));
  const config = filled as Config;
  const baseUrl = config.baseUrl.replace(/\/+$/, '');
  return { ...config, baseUrl, sources: withPrivateSets(config.sources) };
}

/**
 * Sources that are written elsewhere, by the groups and rules of a configuration.
 * @throws BridgeError `config-invalid` naming every fault
 */
export function parseSources(
  sources: Readonly<Record<string, unknown>>,
  { baseUrl, contact, groups, sets, mail }: Pick<Config, 'baseUrl' | 'contact' | 'groups' | 'sets' | 'mail'>,
): Config['sources'] {
  const { sources: parsed } = parseConfig({
    ...{ baseUrl, groups, sets, sources },
    ...(contact !== undefined && { contact }),
    ...(mail && { mail }),
  });
  return parsed;
}

/** Told once, and not of each source that has the group. */
function refuseGroups(raw: unknown): void {
  if (!isObject(raw) || raw.groups === undefined) return;
  const faults = [
    ...schemaFaults(groupsSchema, Value.Convert(groupsSchema, Value.Clone(raw.groups)), 'groups'),
  ];
  if (faults.length > 0) throw new BridgeError('config-invalid', faults.join('\n'));
}

/** A DSpace takes two requests at a time without noticing. */
function withDefaultsOfAdapters(raw: unknown): unknown {
  if (!isObject(raw) || !isObject(raw.sources)) return raw;
  const sources = Object.entries(raw.sources).map(([name, source]) => [
    name,
    isObject(source) && source.adapter === 'dspace' ? { requestsPerHost: 2, ...source } : source,
  ]);
  return { ...raw, sources: Object.fromEntries(sources) };
}

/** Whoever says where the nights are lives there. */
function withZoneOfPages(raw: unknown): unknown {
  if (!isObject(raw) || typeof raw.timeZone !== 'string') return raw;
  const { pages = {}, timeZone } = raw;
  return isObject(pages) ? { ...raw, pages: { timeZone, ...pages } } : raw;
}

/** TypeBox would fill in the defaults of every alternative of a union; only the chosen one's are meant. */
function withDefaults(raw: unknown): unknown {
  if (!isObject(raw) || !isObject(raw.database)) return Value.Default(configSchema, raw);
  const { database, ...rest } = raw;
  const chosen = databaseSchema.anyOf.find((option) => matchesLiterals(database, option));
  const filled = Value.Default(configSchema, rest) as Record<string, unknown>;
  return { ...filled, database: chosen ? Value.Default(chosen, database) : database };
}
