import { dirname, isAbsolute, resolve } from 'node:path';
import { type Config, parseConfig } from '../../core/config/config.ts';
import { keepSecret } from '../../core/secrets.ts';
import { checkCron } from '../../harvest/turns.ts';
import { type Environment, readConfigFile } from './config-file.ts';
import { type BroughtIn, secretsOf } from './config-secrets.ts';
import { include } from './included-sources.ts';
import { namingVariables, type Variable } from './named-variables.ts';
import { leaves, type Origin, setOrigins } from './origins.ts';
import { checkSchedules } from './schedules.ts';

export const defaultConfigFile = 'rsbridge.yaml';

export interface ConfigFlags {
  readonly config?: string | undefined;
  /** Dotted path → value, from command line flags; they win over everything else. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

/**
 * Flag > environment (`RSBRIDGE_BASE_URL`, `RSBRIDGE_LISTEN__PORT`) > file > default. In the file `${VAR}`
 * is replaced from the environment, and `somethingFile: path` reads the value of `something`. Sources and groups of
 * the files that it includes are as if they stood in it. Relative paths in the result are relative to the
 * configuration file.
 * @throws BridgeError `config-missing`, `config-invalid`
 */
export function loadConfig(flags: ConfigFlags, env: Environment, cwd: string): Config {
  const file = resolve(cwd, flags.config ?? env.RSBRIDGE_CONFIG ?? defaultConfigFile);
  const broughtIn: BroughtIn[] = [];
  const origins = new Map<string, Origin>();
  const read = (place: string) => {
    const own: BroughtIn[] = [];
    const settings = readConfigFile(place, env, own);
    broughtIn.push(...own);
    noteFile(origins, place, settings, own);
    return settings;
  };
  const raw = include(read(file), file, read);
  const variables: Variable[] = [];
  for (const [name, path, value] of environmentOverrides(env)) {
    variables.push({ name, path });
    // Where a text is due it becomes one again; `schedule` takes a text or false.
    assign(raw, path, value === 'false' ? false : value);
    broughtIn.push({ path, value });
    origins.set(path.join('.'), { from: 'environment', place: name });
  }
  for (const [path, value] of Object.entries(flags.overrides ?? {})) {
    if (value === undefined) continue;
    assign(raw, path.split('.'), value);
    origins.set(path, { from: 'flag', place: `--${path.slice(path.lastIndexOf('.') + 1)}` });
  }
  const config = withCredentials(parseBroughtIn(raw, broughtIn, variables), env, origins);
  for (const secret of secretsOf(config, broughtIn)) keepSecret(secret);
  checkCron('publish.resourceListSchedule', config.publish.resourceListSchedule);
  checkCron('publish.resourceDumpSchedule', config.publish.resourceDumpSchedule);
  checkSchedules(config.sources);
  return setOrigins(anchorPaths(config, dirname(file)), origins);
}

function noteFile(
  origins: Map<string, Origin>,
  place: string,
  settings: unknown,
  broughtIn: readonly BroughtIn[],
): void {
  const through = new Map(broughtIn.map((one) => [one.path.join('.'), one.through]));
  for (const [path] of leaves(settings)) {
    const key = path.join('.');
    origins.set(key, { from: 'file', place, through: through.get(key) });
  }
}

/** Those that the tools of AWS read are ours, too, where the configuration has none. */
function withCredentials(config: Config, env: Environment, origins: Map<string, Origin>): Config {
  const { s3 } = config.storage;
  if (!s3 || s3.credentialsFile !== undefined || s3.accessKeyId !== undefined) return config;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return config;
  for (const [key, place] of [
    ['accessKeyId', 'AWS_ACCESS_KEY_ID'],
    ['secretAccessKey', 'AWS_SECRET_ACCESS_KEY'],
    ['sessionToken', 'AWS_SESSION_TOKEN'],
  ] as const)
    if (env[place]) origins.set(`storage.s3.${key}`, { from: 'environment', place });
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
  };
  return { ...config, storage: { ...config.storage, s3: { ...s3, ...credentials } } };
}

/** What is wrong with a value is told with the value, unless it was brought in: nobody knows yet what it is for. */
function parseBroughtIn(
  raw: unknown,
  broughtIn: readonly BroughtIn[],
  variables: readonly Variable[],
): Config {
  try {
    return parseConfig(raw);
  } catch (error) {
    for (const { value } of broughtIn) keepSecret(value);
    throw namingVariables(error, variables);
  }
}

/** Makes the relative paths of a configuration absolute. */
export function anchorPaths(config: Config, directory: string): Config {
  const anchor = (path: string) => (isAbsolute(path) ? path : resolve(directory, path));
  const { database, storage, alerts } = config;
  const { s3 } = storage;
  return {
    ...config,
    directory: anchor(config.directory),
    ...(s3?.credentialsFile === undefined
      ? {}
      : { storage: { ...storage, s3: { ...s3, credentialsFile: anchor(s3.credentialsFile) } } }),
    ...(alerts.backupStamp === undefined
      ? {}
      : { alerts: { ...alerts, backupStamp: anchor(alerts.backupStamp) } }),
    database: database.client === 'sqlite' ? { ...database, file: anchor(database.file) } : database,
  };
}

const prefix = 'RSBRIDGE_';

/** `RSBRIDGE_LISTEN__PORT=80` → `['listen', 'port'], 80`. */
function* environmentOverrides(env: Environment): Generator<[name: string, path: string[], value: string]> {
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(prefix) || name === 'RSBRIDGE_CONFIG' || value === undefined) continue;
    const path = name.slice(prefix.length).split('__').map(toCamelCase);
    yield [name, path, value];
  }
}

function toCamelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function assign(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const inner = target[key];
  const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  target[key] = next;
  assign(next, rest, value);
}
