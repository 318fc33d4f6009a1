import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { BridgeError, describeError } from '../../core/errors.ts';
import type { BroughtIn } from './config-secrets.ts';

/** The variables of the environment, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What a file of the configuration says, with the values of `${VAR}` and of `somethingFile: path` in their places.
 * @param broughtIn is told each of those
 * @throws BridgeError `config-missing`, `config-invalid`
 */
export function readConfigFile(
  file: string,
  env: Environment,
  broughtIn: BroughtIn[],
): Record<string, unknown> {
  const given = parseYaml(readText(file), file);
  return resolveValue(given, [], { env, directory: dirname(file), broughtIn }) as Record<string, unknown>;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new BridgeError('config-missing', `there is no ${file}`, { cause });
    }
    throw new BridgeError('config-invalid', `the configuration ${file} cannot be read`, { cause });
  }
}

/** The text of a file that a setting names. */
function readValue(path: readonly string[], file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new BridgeError(
      'config-invalid',
      `${path.join('.')}: ${describeError(cause)}; name a file that rsbridge can read`,
      { cause },
    );
  }
}

function parseYaml(text: string, file: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = parse(text.replace(variable, `${opened}$1${closed}`)) ?? {};
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    const line = error.linePos?.[0].line;
    const where = line === undefined ? '' : `, line ${line}`;
    throw new BridgeError('config-invalid', `${file}${where}: ${describeYaml(error)}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new BridgeError(
      'config-invalid',
      `${file} holds no settings; write one on each line, such as baseUrl: https://repo.example.org/rs`,
    );
  }
  return parsed as Record<string, unknown>;
}

const yamlTroubles: Partial<Record<YAMLParseError['code'], string>> = {
  BAD_INDENT:
    'the line is not indented as those that it belongs to, or the bracket or quote before it is not closed',
  TAB_AS_INDENT: 'it is indented with a tab; use spaces',
  DUPLICATE_KEY: 'the key is there twice; remove one of them',
  MISSING_CHAR: 'a character is missing: a closing quote or bracket, or the colon or comma before this place',
  BAD_SCALAR_START: 'a value begins with a character that has a meaning in YAML; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'there are two colons in a line, or it is indented too little; put a value with ": " in quotes',
  UNEXPECTED_TOKEN: 'there is something that does not belong here; is a quote or a bracket before it closed?',
  BAD_ALIAS: 'a value that begins with * has to be in quotes',
  MULTIPLE_DOCS: 'there is more than one document; remove the line ---',
};

/** What to change, instead of what the parser expected. */
function describeYaml({ code, message }: YAMLParseError): string {
  return yamlTroubles[code] ?? `it is not YAML: ${message.split(' at line ')[0] ?? ''}`;
}

interface Resolving {
  readonly env: Environment;
  readonly directory: string;
  /** What is brought in goes here. */
  readonly broughtIn: BroughtIn[];
}

/** Files that whoever needs them reads, for they change while the process runs. */
const readAnew = new Set(['credentialsFile']);

function resolveValue(value: unknown, path: readonly string[], resolving: Resolving): unknown {
  const { env, directory, broughtIn } = resolving;
  if (typeof value === 'string')
    return expand(value, env, (brought, name) =>
      broughtIn.push({ path, value: brought, through: `\${${name}}` }),
    );
  if (Array.isArray(value)) return value.map((entry) => resolveValue(entry, path, resolving));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (!key.endsWith('File') || readAnew.has(key) || typeof entry !== 'string')
        return [key, resolveValue(entry, [...path, key], resolving)];
      const name = key.slice(0, -'File'.length);
      const place = resolve(directory, expand(entry, env));
      const text = readValue([...path, key], place).trim();
      broughtIn.push({ path: [...path, name], value: text, through: place });
      return [name, text];
    }),
  );
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
/**
 * Stand for the braces while YAML is read: in `{ url: ${URL} }` those would open a mapping. The values come
 * in afterwards, so that no character of a password means anything to YAML.
 */
const [opened, closed] = ['\uE000', '\uE001'];
const stoodIn = new RegExp(`${opened}([A-Za-z0-9_]+)${closed}`, 'g');

function expand(text: string, env: Environment, told?: (value: string, name: string) => void): string {
  return text.replace(stoodIn, (_, name: string) => {
    const value = env[name];
    if (value === undefined) {
      throw new BridgeError(
        'config-invalid',
        `the environment variable ${name} is used in the configuration and not set; set it, or write the value itself`,
      );
    }
    told?.(value, name);
    return value;
  });
}
