import type { TSchema } from '@sinclair/typebox';
import { configSchema } from '../core/config/config.ts';
import { fieldRules } from '../core/crosswalks/field-rules.ts';
import { resourceTypes } from '../core/crosswalks/vocabularies/resource-types.ts';
import { type ErrorCode, errorTable } from '../core/errors.ts';
import { works } from '../oai-conformance/checks/check.ts';
import { type CheckId, checkGroups } from '../oai-conformance/checks/check-table.ts';
import { ownVerdictOf } from '../oai-conformance/checks/own-verdicts.ts';
import { requestErrors } from '../server/http/errors.ts';
import { adviceInJapanese } from '../server/words/refusals/advice.ts';
import { allFaults } from '../simulate/faults/catalogue.ts';
import { exitCodeOf } from './terminal/exit-codes.ts';

/** `docs/errors.md`, and tables of other pages, from the code; a test says when they are stale. */

/** Complete in each language, or this does not compile. */
type Advice = Readonly<Record<ErrorCode | keyof typeof requestErrors, string>>;

interface ReferenceWords {
  readonly code: string;
  readonly exit: string;
  readonly status: string;
  readonly todo: string;
  readonly onlyServer: string;
  readonly advice: Advice;
}

const requestAdvice = Object.fromEntries(
  Object.entries(requestErrors).map(([code, { advice }]) => [code, advice]),
) as Readonly<Record<keyof typeof requestErrors, string>>;

const words: Readonly<Record<'en' | 'ja', ReferenceWords>> = {
  en: {
    code: 'code',
    exit: 'exit',
    status: 'status',
    todo: 'what to do',
    onlyServer: 'Only the server answers with these:',
    advice: { ...errorTable, ...requestAdvice },
  },
  ja: {
    code: 'コード',
    exit: '終了コード',
    status: 'ステータス',
    todo: '対処',
    onlyServer: '次のものは、サーバーの応答だけに現れます。',
    advice: adviceInJapanese,
  },
};

export function errorReference(language: keyof typeof words = 'en'): string {
  const { code, exit, status, todo, onlyServer, advice } = words[language];
  const rows = (Object.keys(errorTable) as ErrorCode[]).map(
    (key) => `| \`${key}\` | ${exitCodeOf(key)} | ${advice[key]} |`,
  );
  const asked = (Object.keys(requestErrors) as (keyof typeof requestErrors)[]).map(
    (key) => `| \`${key}\` | ${requestErrors[key].status} | ${advice[key]} |`,
  );
  return [
    ...[`| ${code} | ${exit} | ${todo} |`, '|---|---|---|', ...rows, ''],
    ...[onlyServer, '', `| ${code} | ${status} | ${todo} |`, '|---|---|---|', ...asked, ''],
  ].join('\n');
}

/** The tables of `docs/validate-oai.md`: every check of an OAI-PMH endpoint, who asks for it, and how our own does. */
export function checkReference(): string {
  const groups = Object.entries(checkGroups).flatMap(([title, checks]) => [
    ...[
      `## ${title}`,
      '',
      '| check | | what has to be | what to do | who asks for it | our own endpoint |',
      '|---|---|---|---|---|---|',
    ],
    ...Object.entries(checks).map(
      ([id, { severity, asks, remedy, sources }]) =>
        `| <a id="${id}"></a>\`${id}\` | ${severity} | ${asks} | ${remedy} | ${sources.join('; ')} | ${ownVerdictOf(id as CheckId)} |`,
    ),
    '',
  ]);
  const cited = Object.entries(works).map(([name, what]) => `| ${name} | ${what} |`);
  return [...groups, '## Who asks', '', '| | |', '|---|---|', ...cited, ''].join('\n');
}

/** Which fields become what, and which words are which type. */
export function crosswalkReference(): string {
  const code = (text: string | undefined) => (text === undefined ? '' : `\`${text}\``);
  const fields = fieldRules.map(
    ({ says, fields: names, jpcoar, openaire, note = '' }) =>
      `| ${code(says)} | ${names.map(code).join(', ')} | ${code(jpcoar)} | ${code(openaire)} | ${note} |`,
  );
  const types = resourceTypes.map(
    ({ jpcoar, openaire, general, words: others }) =>
      `| ${jpcoar.label} | ${openaire.label} | ${general} | ${others.join('; ')} |`,
  );
  return [
    ...['| says | fields | JPCOAR 2.0 | OpenAIRE 4.0 | |', '|---|---|---|---|---|', ...fields, ''],
    ...[
      '## Types',
      '',
      'In capital or small letters, as `info:eu-repo/semantics/…`, or as the URI of COAR:',
      '',
    ],
    ...[
      '| JPCOAR 2.0 | OpenAIRE 4.0 | in OpenAIRE one of | other words |',
      '|---|---|---|---|',
      ...types,
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

/** Of docs/simulate.md. */
export function faultReference(): string {
  const kinds = [...new Set(allFaults.map(({ kind }) => kind))];
  const tables = kinds.map((kind) => {
    const rows = allFaults
      .filter((fault) => fault.kind === kind)
      .map(({ name, what, expects, outcome, share }) => {
        const often = share === 1 ? '' : ` (${share})`;
        return `| \`${name}\`${often} | ${what} | ${expects} | ${outcome} |`;
      });
    return `### ${kind}\n\n| | the Source | a Destination | copy |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return tables.join('\n');
}
