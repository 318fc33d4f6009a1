import { type Static, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;

const partnerSchema = Type.Object(
  {
    service: Type.String({
      pattern: '^https?://[^\\s]+$',
      write: 'the web address by which the service calls itself, such as https://repo.example.ac.jp',
      description: 'What the service calls itself: the `id` of the `origin` in what it sends.',
    }),
    from: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description:
          'Addresses or ranges that its notifications come from; others are refused. Default: nothing is taken from it.',
      }),
    ),
    inbox: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s@]+$',
        write: 'the web address of its inbox, such as https://repo.example.ac.jp/server/ldn/inbox',
        description:
          'Where the service takes notifications: it is told how harvests of the sources go. Default: it is told nothing.',
      }),
    ),
    sources: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      write: 'a list of names of sources, such as [repo]',
      description: 'Whose items its notifications are about, and whose reports it gets.',
    }),
    perMinute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description:
          'More notifications of it in one minute are refused, until the minute is over. Default: 60.',
      }),
    ),
  },
  closed,
);

export const coarNotifySchema = Type.Optional(
  Type.Object(
    {
      partners: Type.Record(Type.String({ pattern: '^[a-z0-9-]+$' }), partnerSchema, {
        write:
          'each service below a name, such as { repo: { service: https://repo.example.ac.jp, sources: [repo] } }',
        description:
          'The services that we exchange notifications with, by names that logs and pages call them.',
      }),
    },
    {
      ...closed,
      description:
        'COAR Notify 1.0: an inbox at /inbox, where services tell us of single items, which are then read again, and reports of harvests to those that have an inbox (docs/notify.md). Default: neither.',
    },
  ),
);

export type CoarNotifyConfig = NonNullable<Static<typeof coarNotifySchema>>;
export type NotifyPartner = Static<typeof partnerSchema>;
