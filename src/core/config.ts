import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { BridgeError } from './errors.ts';
import { reservedNames } from './uris.ts';

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
    files: Type.Optional(
      Type.Object(
        { from: Type.Optional(Type.String()), mode: Type.Optional(Type.String()) },
        {
          ...closed,
          description: 'Reserved: where files are found. This version publishes metadata alone and says so.',
        },
      ),
    ),
    sets: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Reserved: sets of your own. This version publishes each source and its metadata, and says so.',
      }),
    ),
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
    requestsPerHost: Type.Integer({ minimum: 1, maximum: 8, default: 1 }),
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
        robots: Type.Boolean({ default: true, description: 'Name the Resource Lists in robots.txt.' }),
      },
      { ...closed, default: {} },
    ),
    sources: Type.Record(Type.String({ pattern: '^[a-z0-9-]+$' }), sourceSchema, {
      default: {},
      description: 'The repositories, by the name that begins their URIs.',
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
export type SourceConfig = Static<typeof sourceSchema>;
export type DatabaseConfig = Config['database'];

/**
 * Validates a parsed configuration and fills in the defaults.
 * @throws BridgeError `config-invalid` naming every fault: where, what, and the nearest known key
 */
export function parseConfig(raw: unknown): Config {
  // Values from the environment are texts; where a number or a truth value is due, they are read as one.
  const filled = Value.Convert(configSchema, withDefaults(Value.Clone(raw ?? {})));
  const faults = [...findFaults(filled)];
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

function* findFaults(value: unknown): Generator<string> {
  yield* unknownKeys(value, configSchema, '');
  const seen = new Set<string>();
  for (const error of Value.Errors(configSchema, value)) {
    const place = error.path.slice(1).replaceAll('/', '.');
    // Unknown keys are reported above with a suggestion; one fault per place is enough.
    if (/unexpected property/i.test(error.message) || seen.has(place)) continue;
    seen.add(place);
    yield `${place || 'configuration'}: ${error.message.toLowerCase()}${describeValue(error.value)}`;
  }
  const { sources, baseUrl } = value as { sources?: unknown; baseUrl?: unknown };
  const basePath =
    typeof baseUrl === 'string' ? baseUrl.replace(/^https?:\/\/[^/]*\/?/, '').split('/')[0] : '';
  for (const name of Object.keys(isObject(sources) ? sources : {})) {
    // Behind a proxy that strips the path, /rs/… would be this source's address.
    if (name === basePath) yield `sources.${name}: the path of baseUrl begins with this name; choose another`;
    if (reservedNames.has(name))
      yield `sources.${name}: this name is taken by an address of our own; choose another`;
    else if (!/^[a-z0-9-]+$/.test(name)) yield `sources.${name}: a source's name is made of a-z, 0-9 and -`;
  }
}

function describeValue(value: unknown): string {
  if (value === undefined) return '';
  const text =
    typeof value === 'string' && value.includes('://') ? 'the given address' : JSON.stringify(value);
  return `, not ${text.length > 60 ? `${text.slice(0, 57)}…` : text}`;
}

function* unknownKeys(value: unknown, schema: TSchema, place: string): Generator<string> {
  if (!isObject(value)) return;
  const record = schema.patternProperties as Record<string, TSchema> | undefined;
  if (record) {
    const [inner] = Object.values(record);
    for (const [key, child] of Object.entries(value))
      if (inner) yield* unknownKeys(child, inner, `${place}${key}.`);
    return;
  }
  const alternatives = (schema.anyOf as TSchema[] | undefined) ?? [schema];
  const chosen = alternatives.find((option) => matchesLiterals(value, option)) ?? alternatives[0];
  const properties = chosen?.properties as Record<string, TSchema> | undefined;
  if (!properties) return;
  for (const [key, child] of Object.entries(value)) {
    const inner = properties[key];
    if (inner) yield* unknownKeys(child, inner, `${place}${key}.`);
    else yield `${place}${key}: unknown key${suggest(key, Object.keys(properties))}`;
  }
}

function matchesLiterals(value: Record<string, unknown>, schema: TSchema): boolean {
  const properties = schema.properties as Record<string, TSchema> | undefined;
  return Object.entries(properties ?? {}).every(
    ([key, child]) => child.const === undefined || child.const === value[key],
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** ` (did you mean "schedule"?)` for the nearest of the known words, or nothing. */
export function suggest(word: string, known: readonly string[]): string {
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest === undefined ? `; known are ${known.join(', ')}` : ` (did you mean "${nearest}"?)`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
