import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { UnderWay } from '../../store/presence/under-way.ts';
import { readActivity } from '../admin/activity/activity.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { Refusal } from '../http/errors.ts';
import { filePlaces, type StorageMeasures } from '../measures.ts';
import { described } from '../openapi/described.ts';
import { withoutUndefined } from './json-views.ts';

const text = Type.String();
const number = Type.Number();
const maybe = Type.Optional;

export const workSchema = Type.Object({
  kind: Type.String({ description: 'What is done: harvest, full, identifiers, files, asked, lists, dumps.' }),
  source: maybe(text),
  set: maybe(text),
  phase: text,
  run: maybe(number),
  done: number,
  expected: maybe(number),
  perMinute: maybe(Type.Number({ description: 'Of late.' })),
  requests: maybe(Type.Number({ description: 'To the repository, since it began in this process.' })),
  window: maybe(Type.Object({ list: maybe(text), from: maybe(text), until: maybe(text) })),
  startedAt: text,
  updatedAt: text,
  process: text,
});

export function toWork(work: UnderWay): Static<typeof workSchema> {
  const { kind, source, set, phase, run, done, expected, perMinute, requests, window } = work;
  const known = { set, run, expected, perMinute, requests };
  return {
    ...{ kind, phase, done, startedAt: work.beganAt, updatedAt: work.seenAt, process: work.holder },
    ...(source === '' ? {} : { source }),
    ...withoutUndefined(known),
    ...(window && { window: withoutUndefined(window) }),
  };
}

const processSchema = Type.Object({
  process: text,
  role: text,
  version: text,
  host: text,
  pid: number,
  startedAt: text,
  seenAt: text,
  memoryBytes: number,
  heldUpMs: Type.Number({ description: 'The longest time of late in which it could not answer.' }),
});
const queueSchema = Type.Object({
  kind: text,
  running: number,
  waiting: number,
  waitingSince: maybe(text),
  nextAt: maybe(text),
  failing: Type.Number({ description: 'Failed the last time.' }),
});

const activitySchema = Type.Object({
  works: Type.Array(workSchema),
  queue: Type.Array(queueSchema),
  processes: Type.Array(processSchema),
  resting: Type.Array(Type.Object({ host: text, until: text, reason: maybe(text) })),
  search: maybe(Type.Object({ done: number, total: number })),
});

const sized = { files: number, bytes: number };
const storageSchema = Type.Object({
  at: Type.String({ description: 'Of all but `files`.' }),
  database: Type.Object({
    client: Type.String({ enum: ['sqlite', 'pg'] }),
    bytes: maybe(number),
    walBytes: maybe(number),
    freeBytes: maybe(Type.Number({ description: 'SQLite: of the bytes, what is empty.' })),
  }),
  tables: Type.Array(Type.Object({ name: text, bytes: number, rows: number }), {
    description: 'With indexes, the largest first; rows are an estimate. None of SQLite.',
  }),
  items: Type.Number({ description: 'That are published: with metadata that lives.' }),
  resources: number,
  files: maybe(
    Type.Object(
      {
        at: text,
        complete: Type.Boolean({ description: 'false: not all were counted, and there is more.' }),
        places: Type.Array(Type.Object({ place: Type.String({ enum: [...filePlaces] }), ...sized })),
        sources: Type.Array(Type.Object({ name: text, ...sized })),
      },
      { description: 'Of the data directory; absent while they are counted for the first time.' },
    ),
  ),
  inBucket: Type.Array(text, { description: 'What goes to the object storage; its bytes are not counted.' }),
  disks: Type.Array(Type.Object({ place: text, free: number, total: number })),
  backupAt: maybe(text),
  waiting: number,
});

/** What is under way, what is due, and which processes there are; what is kept, and where. */
export function activityRoutes(api: FastifyInstance, deps: AdminServer): void {
  api.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/activity',
    config: {
      ...{ operationId: 'getActivity', needs: 'read' },
      operation: described('What all processes are at, what is due, and which hosts are left alone', {
        200: ['As it is now.', activitySchema],
      }),
    },
    handler: async (): Promise<Static<typeof activitySchema>> => {
      const { works, processes, queue, resting, search } = await readActivity(deps);
      return {
        works: works.map(toWork),
        queue: queue.map(({ kind, running, waiting, failing, waitingSince, nextAt }) => ({
          ...{ kind, running, waiting, failing },
          ...withoutUndefined({ waitingSince: isoOf(waitingSince), nextAt: isoOf(nextAt) }),
        })),
        processes: processes.map(({ holder, memory, heldUp, ...one }) => ({
          ...{ process: holder, ...one, memoryBytes: memory, heldUpMs: heldUp },
        })),
        resting: resting.map(({ reason, ...rest }) => ({ ...rest, ...withoutUndefined({ reason }) })),
        ...(search && { search }),
      };
    },
  });
  api.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/storage',
    config: {
      ...{ operationId: 'getStorage', needs: 'read' },
      operation: described(
        'What the database, the files and the tables take, and what is left on the disks',
        { 200: ['As it was a moment ago.', storageSchema] },
        [404],
      ),
    },
    handler: async (): Promise<StorageMeasures> => {
      const measures = await deps.storage?.();
      if (!measures) throw new Refusal('not-found', 'nothing is measured here');
      return measures;
    },
  });
}

function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
