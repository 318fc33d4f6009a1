import { Type } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;

/** What of a Source is followed. */
export const resourceSyncSchema = Type.Object(
  {
    set: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Where the Source has several sets: the address of a Capability List, or the end of its folder, e.g. theses for …/theses/capabilitylist.xml.',
      }),
    ),
    hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description:
          'Further hosts from which its metadata may be fetched; default: the host of the Source, and those below it. ["*"]: any.',
      }),
    ),
    history: Type.Optional(
      Type.Boolean({
        description:
          'When a record comes for the first time, its earlier states are read by its TimeMap (Memento, RFC 7089) where the Source has one, and are mementos here, too. A request more for each record, and one for each state; default: false.',
      }),
    ),
    quietTurns: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 96,
        description:
          'As long as nothing changes it is looked at less and less often, at last at every so many turns of `schedule`; default: 4. 1: at each turn.',
      }),
    ),
  },
  {
    ...closed,
    description: 'Sources of ResourceSync: which set is followed, how often, and whom its lists may name.',
  },
);
