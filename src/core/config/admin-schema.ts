import { type Static, Type } from '@sinclair/typebox';
import { closed } from './source-schema.ts';

export const adminSchema = Type.Object(
  {
    enabled: Type.Boolean({
      default: true,
      description:
        'Whether there are /admin and /api/v1. Until a password is set, they answer requests from this machine alone.',
    }),
    listen: Type.Optional(
      Type.Object(
        {
          host: Type.String({ default: '127.0.0.1' }),
          port: Type.Integer({ minimum: 0, maximum: 65_535 }),
        },
        {
          ...closed,
          description: 'A port of their own for /admin and /api/v1; default: the one of `listen`.',
        },
      ),
    ),
    proxyLogin: Type.Optional(
      Type.Object(
        {
          header: Type.String({
            pattern: '^[A-Za-z0-9-]+$',
            write: 'the name of a header, such as Remote-User',
            description: 'In which the proxy names the account, e.g. Remote-User.',
          }),
          from: Type.Array(Type.String({ minLength: 1 }), {
            minItems: 1,
            description:
              'Addresses or ranges of the proxies that are believed. They have to remove the header from what clients send.',
          }),
        },
        {
          ...closed,
          description:
            'A proxy that signs people in. Whoever it names needs an account (`rsbridge admin link --name NAME`).',
        },
      ),
    ),
  },
  { ...closed, default: {}, description: 'The dashboard and its API (docs/admin.md).' },
);

export type AdminConfig = Static<typeof adminSchema>;
