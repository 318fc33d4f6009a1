import { configSchema } from '../../core/config/config.ts';
import { BridgeError, isBridgeError } from '../../core/errors.ts';

/** What a variable of the environment sets: `RSBRIDGE_LISTEN__PORT`, `['listen', 'port']`. */
export interface Variable {
  readonly name: string;
  readonly path: readonly string[];
}

/** What is wrong with a setting is told with the variable that it is from: nobody finds it in the file. */
export function namingVariables(error: unknown, variables: readonly Variable[]): unknown {
  if (!isBridgeError(error, 'config-invalid')) return error;
  const lines = error.message.split('\n').map((line) => {
    const variable = variables.find(({ path }) => line.startsWith(`${path.join('.')}: `));
    if (variable === undefined) return line;
    const meant = line.includes(': unknown key') ? withLevels(variable.name) : undefined;
    return meant === undefined
      ? `${variable.name} sets ${line}`
      : `${variable.name}: unknown (did you mean ${meant}? Levels are joined by two underscores)`;
  });
  return new BridgeError('config-invalid', lines.join('\n'), { cause: error.cause });
}

/** `RSBRIDGE_LISTEN_PORT` → `RSBRIDGE_LISTEN__PORT`, where its first words are a setting that has others below. */
function withLevels(name: string): string | undefined {
  const known = Object.keys(configSchema.properties).map((key) =>
    key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
  );
  const [, rest = ''] = /^RSBRIDGE_(.*)$/.exec(name) ?? [];
  const first = known.find((key) => rest.startsWith(`${key}_`) && !rest.startsWith(`${key}__`));
  return first === undefined ? undefined : `RSBRIDGE_${first}__${rest.slice(first.length + 1)}`;
}
