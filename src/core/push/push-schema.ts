import { type Static, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;

/** Who is told of changes as they happen. */
export const pushSchema = Type.Object(
  {
    hub: Type.Boolean({
      default: false,
      description:
        'Whether anybody may subscribe to changes at /hub (WebSub, ResourceSync Notification); the Capability Lists name it then.',
    }),
    externalHubs: Type.Array(
      Type.String({
        pattern: '^https?://[^/@\\s]+(/\\S*)?$',
        write: 'the web address of a hub, http:// or https://, without a name and password',
      }),
      {
        default: [],
        maxItems: 8,
        description:
          'Hubs of others that are told when there is something new, and are named beside ours; not for private sets.',
      },
    ),
    leaseDays: Type.Number({
      minimum: 1,
      maximum: 31,
      default: 10,
      description: 'How long a subscription lasts that does not say how long.',
    }),
    subscriptions: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 2000,
      description: 'So many there may be at /hub, of all sets together.',
    }),
    subscriptionsPerHost: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 100,
      description: 'So many of them may be called back at one host.',
    }),
    allow: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'Private addresses that may be called back: a host, host:port, an address, or a range such as 10.0.0.0/8. `network.allow` opens none of them.',
    }),
  },
  {
    ...closed,
    default: {},
    description:
      'Who is told of changes as they happen (docs/push.md). Default: those that `rsbridge subscriptions add` names.',
  },
);

export type PushConfig = Static<typeof pushSchema>;
