import { Type } from '@sinclair/typebox';
import { closed } from './source-schema.ts';

const leaseSeconds = Type.Optional(
  Type.Integer({
    minimum: 2,
    maximum: 3600,
    description:
      'What a process works on is free for others when it has given no sign of life for so many seconds (default: 60); on the same host, at once when it has died.',
  }),
);

const replicaAddress = {
  minLength: 1,
  secret: true,
  write: 'the address of a replica, such as postgres://user:${PASSWORD}@host/database, or a list of them',
};

export const databaseSchema = Type.Union(
  [
    Type.Object(
      {
        client: Type.Literal('sqlite'),
        file: Type.String({ minLength: 1, default: 'data/rsbridge.db' }),
        leaseSeconds,
      },
      closed,
    ),
    Type.Object(
      {
        client: Type.Literal('pg'),
        url: Type.String({
          minLength: 1,
          secret: true,
          write: 'the address of the database, such as postgres://user:${PASSWORD}@host/database',
          description: 'postgres://user:${PASSWORD}@host/database',
        }),
        poolSize: Type.Integer({
          minimum: 4,
          maximum: 100,
          default: 10,
          description: 'Connections of each process for what it harvests and publishes, at most.',
        }),
        readerPoolSize: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 100,
            description:
              'Connections of each process for the requests that it answers, at most (default: 5): to the primary, and as many to each replica. Harvests do not wait for them, nor they for harvests.',
          }),
        ),
        replicaUrl: Type.Optional(
          Type.Union(
            [Type.String(replicaAddress), Type.Array(Type.String(replicaAddress), { minItems: 1 })],
            {
              ...replicaAddress,
              description:
                'A streaming replica that answers requests, and commands that only read, or a list of them, each with an address of its own: postgres://user:${PASSWORD}@host/database. One that is behind, or away, is not asked, and the primary answers.',
            },
          ),
        ),
        leaseSeconds,
        timeoutSeconds: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 600,
            description:
              'When PostgreSQL has been silent for so many seconds (default: 5), it is asked whether it is still at work; if that is not answered within as many, it is away: requests are answered with 503 until it is back.',
          }),
        ),
      },
      closed,
    ),
  ],
  { description: 'Where everything is kept. SQLite needs no set-up; PostgreSQL serves several processes.' },
);
