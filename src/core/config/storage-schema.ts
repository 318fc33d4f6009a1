import { type Static, Type } from '@sinclair/typebox';
import { closed } from './source-schema.ts';

const s3Schema = Type.Object(
  {
    endpoint: Type.String({
      pattern: '^https?://[^/?#]+(/[^?#]*)?$',
      write: 'the web address of the storage, such as https://s3.eu-central-1.amazonaws.com',
      description: 'The address of the object storage; it may be a private one.',
    }),
    bucket: Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
      write: 'the name of a bucket: 3 to 63 small letters, digits, dots and hyphens',
      description: 'The bucket; it has to be there.',
    }),
    prefix: Type.String({
      pattern: '^[A-Za-z0-9._/-]*$',
      write: 'letters, digits and . _ - /, such as rsbridge/',
      default: '',
      description: 'What all names begin with, where others share the bucket.',
    }),
    region: Type.String({ minLength: 1, default: 'us-east-1', description: 'Part of every signature.' }),
    pathStyle: Type.Boolean({
      default: true,
      description: 'The bucket is named in the path (https://host/bucket); false: in front of the host.',
    }),
    credentialsFile: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A file with `aws_access_key_id = …` and `aws_secret_access_key = …` as the tools of AWS write it, or their JSON. It is read again when it changes. Default: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the environment.',
      }),
    ),
    accessKeyId: Type.Optional(
      Type.String({ minLength: 1, secret: true, description: 'Write ${VARIABLE}, or leave it out.' }),
    ),
    secretAccessKey: Type.Optional(
      Type.String({
        minLength: 1,
        secret: true,
        description: 'Write ${VARIABLE}, or secretAccessKeyFile: FILE.',
      }),
    ),
    sessionToken: Type.Optional(
      Type.String({ minLength: 1, secret: true, description: 'Of credentials that expire.' }),
    ),
    timeoutSeconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 30,
      description: 'Of silence, until an attempt is given up.',
    }),
    connections: Type.Integer({
      minimum: 1,
      maximum: 1024,
      default: 64,
      description: 'Open at a time, of each process.',
    }),
  },
  { ...closed, description: 'An object storage that speaks the protocol of Amazon S3 (docs/storage.md).' },
);

export const storageSchema = Type.Object(
  {
    s3: Type.Optional(s3Schema),
    files: Type.Union([Type.Literal('disk'), Type.Literal('s3')], {
      default: 'disk',
      description:
        'Where files that are mirrored go: into `directory`, or into the bucket of `s3`. Those that are elsewhere already stay there, and are served, until `rsbridge storage migrate` moves them.',
    }),
    documents: Type.Union([Type.Literal('disk'), Type.Literal('s3')], {
      default: 'disk',
      description:
        'Where published documents go: into `directory`, or into the bucket of `s3`. With `s3`, processes on other machines serve them too, and see a new state within two seconds.',
    }),
    dumps: Type.Union([Type.Literal('disk'), Type.Literal('s3')], {
      default: 'disk',
      description:
        'Where the packages of Resource Dumps and Change Dumps go: into `directory`, or into the bucket of `s3`.',
    }),
    payloads: Type.Union([Type.Literal('database'), Type.Literal('s3')], {
      default: 'database',
      description:
        'Where payloads of metadata go that are longer than `payloadKilobytes`: into the database, or into the bucket of `s3`. Those that are elsewhere already stay there, and are served, until `rsbridge storage migrate` moves them.',
    }),
    payloadKilobytes: Type.Integer({
      minimum: 1,
      maximum: 1_048_576,
      default: 64,
      description:
        'With `payloads: s3`, payloads of so many kB (of 1024 bytes) or less stay in the database.',
    }),
    cacheMegabytes: Type.Integer({
      minimum: 1,
      maximum: 1_048_576,
      default: 1024,
      description:
        'What `directory/published-cache` may take: copies of documents in the bucket, which may be removed at any time.',
    }),
    redirectSeconds: Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 0,
      description:
        'Whoever asks for a mirrored file, or a package of a dump, in the bucket is sent there, with an address that is good for so long; 0: it comes through us. What is withheld meanwhile can be had there for as long.',
    }),
  },
  {
    ...closed,
    default: {},
    description: 'Where bytes are kept. Without it, everything is in `directory` and the database.',
  },
);

export type StorageConfig = Static<typeof storageSchema>;
export type S3Config = Static<typeof s3Schema>;
