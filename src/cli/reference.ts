import type { TSchema } from '@sinclair/typebox';
import { configSchema } from '../core/config/config.ts';
import { type ErrorCode, errorTable } from '../core/errors.ts';
import { requestErrors } from '../server/http/errors.ts';
import { exitCodeOf } from './terminal/exit-codes.ts';

/** `docs/errors.md` and the table of `docs/configuration.md`, from the code; a test says when they are stale. */

export function errorReference(): string {
  const rows = (Object.entries(errorTable) as [ErrorCode, string][]).map(
    ([code, advice]) => `| \`${code}\` | ${exitCodeOf(code)} | ${advice} |`,
  );
  const asked = Object.entries(requestErrors).map(
    ([code, { status, advice }]) => `| \`${code}\` | ${status} | ${advice} |`,
  );
  return [
    ...['| code | exit | what to do |', '|---|---|---|', ...rows, ''],
    ...[
      'Only the server answers with these:',
      '',
      '| code | status | what to do |',
      '|---|---|---|',
      ...asked,
      '',
    ],
  ].join('\n');
}

export function configReference(): string {
  return ['| key | default | meaning |', '|---|---|---|', ...configRows(configSchema, ''), ''].join('\n');
}

function* configRows(schema: TSchema, prefix: string): Generator<string> {
  for (const [key, child] of Object.entries((schema.properties ?? {}) as Record<string, TSchema>)) {
    const place = `${prefix}${key}`;
    const [inner] = Object.values((child.patternProperties ?? {}) as Record<string, TSchema>);
    if (child.properties) {
      if (child.description) yield row(place, child, '');
      yield* configRows(child, `${place}.`);
    } else if (inner?.properties && child.meaning === undefined) {
      yield row(place, child, '');
      yield* configRows(inner, `${place}.NAME.`);
    } else {
      yield row(place, child, child.default === undefined ? '' : `\`${JSON.stringify(child.default)}\``);
      for (const option of (child.anyOf ?? []) as TSchema[]) yield* configRows(option, `${place}.`);
    }
  }
}

function row(place: string, schema: TSchema, fallback: string): string {
  const constant = schema.const === undefined ? '' : `\`${String(schema.const)}\``;
  const text = `${schema.description ?? ''}${constant}`.replaceAll('|', '\\|');
  return `| \`${place}\` | ${fallback} | ${text} |`;
}
