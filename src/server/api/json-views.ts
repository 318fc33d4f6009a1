import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { ComparedRun } from '../../store/reading/run-comparison.ts';
import type { Asked } from '../../store/runs/asked.ts';
import type { Run, RunKind } from '../../store/runs/runs.ts';
import type { SourceRow } from '../admin/sources/source-rows.ts';
import { sourceWords } from '../deps.ts';

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const text = Type.String();
const number = Type.Number();

const runStates = ['running', 'succeeded', 'needs-attention', 'failed', 'interrupted'] as const;
const oneOf = <Word extends string>(words: readonly Word[]) =>
  Type.Unsafe<Word>({ type: 'string', enum: [...words] });
const failure = Type.Object({ code: text, message: text });

export const runSchema = Type.Object({
  id: number,
  kind: text,
  state: oneOf(runStates),
  startedAt: text,
  updatedAt: text,
  endedAt: maybe(text),
  items: number,
  expectedTotal: maybe(number),
  statedTotal: maybe(number),
  requests: maybe(number),
  created: number,
  updated: number,
  deleted: number,
  unchanged: number,
  problems: number,
  error: maybe(failure),
});

export function toRun(run: Run<RunKind>): Static<typeof runSchema> {
  const { id, mode: kind, state, startedAt, updatedAt, items, created, updated, deleted } = run;
  const { unchanged, problems, endedAt, expectedTotal, statedTotal, requests, error } = run;
  return {
    ...{ id, kind, state, startedAt, updatedAt, items, created, updated, deleted, unchanged, problems },
    ...withoutUndefined({ endedAt, expectedTotal, statedTotal, requests, error }),
  };
}

export const comparedSchema = Type.Intersect([
  runSchema,
  Type.Object({
    seconds: Type.Number({ description: 'From its first start to its end, or until now.' }),
    warnings: maybe(
      Type.Number({
        description: 'Lines of the log that are warnings or worse; of a run of the last seven days.',
      }),
    ),
  }),
]);

export function toCompared({ run, seconds, warnings }: ComparedRun): Static<typeof comparedSchema> {
  return { ...toRun(run), seconds, ...withoutUndefined({ warnings }) };
}

export const taskSchema = Type.Object({
  id: number,
  source: text,
  kind: text,
  what: maybe(text),
  askedBy: text,
  askedAt: text,
  state: oneOf(['waiting', ...runStates]),
  message: maybe(text),
  run: maybe(runSchema),
});

export function toTask({
  id,
  source,
  kind,
  what,
  who,
  at,
  state,
  message,
  run,
}: Asked): Static<typeof taskSchema> {
  return {
    ...{ id, source, kind, askedBy: who, askedAt: at, state },
    ...(what === undefined ? {} : { what }),
    ...(message === undefined ? {} : { message }),
    ...(run === undefined ? {} : { run: toRun(run) }),
  };
}

export const sourceSchema = Type.Object({
  name: text,
  title: text,
  state: oneOf(sourceWords),
  sentence: text,
  healthy: Type.Boolean(),
  items: Type.Number({ description: 'That are published: with metadata that lives.' }),
  resources: number,
  recentChanges: number,
  lastSuccessAt: maybe(text),
  lastRunAt: maybe(text),
  nextRunAt: maybe(text),
  lagSeconds: maybe(number),
  problem: maybe(text),
  pause: maybe(Type.Object({ since: text, until: maybe(text), reason: maybe(text) })),
});

export function toSource(row: SourceRow): Static<typeof sourceSchema> {
  const { name, title, word, state: sentence, healthy, items, resources, recentChanges, pause } = row;
  const { lastSuccessAt, lastRunAt, nextRunAt, lagSeconds, problem } = row;
  const known = { lastSuccessAt, lastRunAt, nextRunAt, lagSeconds, problem };
  const { since, until, reason } = pause ?? {};
  return {
    ...{ name, title, state: word, sentence, healthy, items, resources, recentChanges },
    ...withoutUndefined(known),
    ...(since === undefined ? {} : { pause: { since, ...withoutUndefined({ until, reason }) } }),
  };
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<T>;
}
