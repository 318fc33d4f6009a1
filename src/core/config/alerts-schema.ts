import { type Static, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;

/** One that needs no quotes, and cannot be taken for several. */
const mailAddress = Type.String({
  pattern: '^[^\\s<>()\\[\\]\\\\,;:"@]{1,64}@[^\\s<>()\\[\\]\\\\,;:"@]{1,255}$',
  write: 'an e-mail address, such as repository@example.ac.jp',
});

/** Of a source: who looks after the repository. */
export const digestSettings = {
  digestTo: Type.Optional({
    ...mailAddress,
    description:
      'Who looks after the repository, and gets a mail each week that says how it is (docs/alerts.md); needs `mail`.',
  }),
  digestLanguage: Type.Optional(
    Type.Union([Type.Literal('en'), Type.Literal('ja')], {
      description: 'Of that mail; default: `alerts.language`.',
    }),
  ),
};

const webAddress = {
  pattern: '^https?://[^/@\\s]+(/\\S*)?$',
  write: 'a web address, http:// or https://, without a name and password',
};

const mailSchema = Type.Object(
  {
    host: Type.String({ minLength: 1, description: 'The mail server that takes our messages (SMTP).' }),
    port: Type.Integer({
      minimum: 1,
      maximum: 65_535,
      default: 587,
      description: 'Mostly 587 with `starttls`, 465 with `tls`, 25 with `none`.',
    }),
    security: Type.Union([Type.Literal('starttls'), Type.Literal('tls'), Type.Literal('none')], {
      default: 'starttls',
      description:
        'starttls: encrypted from its answer on, or nothing is sent; tls: from the beginning; none: in clear, for a server on this machine or network.',
    }),
    user: Type.Optional(Type.String({ minLength: 1, description: 'Where the server wants an account.' })),
    password: Type.Optional(
      Type.String({
        minLength: 1,
        secret: true,
        write: 'passwordFile: PATH, or ${VARIABLE}',
        description: 'passwordFile: PATH, or ${VARIABLE}.',
      }),
    ),
    ca: Type.Optional(
      Type.String({
        pattern: '-----BEGIN CERTIFICATE-----',
        write: 'caFile: PATH of certificates in PEM',
        description:
          'caFile: PATH. Certificates (PEM) of an authority that is believed beside the usual ones.',
      }),
    ),
    from: { ...mailAddress, description: 'The sender, and who is written to by whoever wants no more.' },
    timeoutSeconds: Type.Integer({
      minimum: 1,
      maximum: 60,
      default: 30,
      description: 'How long the server may be silent.',
    }),
    allowPrivateAddresses: Type.Boolean({
      default: false,
      description: 'Whether the server may be on this machine or in a private network.',
    }),
  },
  {
    ...closed,
    description: 'How messages are sent by mail (docs/alerts.md). Default: not.',
  },
);

export const alertsSchema = Type.Object(
  {
    to: Type.Optional(
      Type.Union([mailAddress, Type.Array(mailAddress, { minItems: 1, maxItems: 50 })], {
        write: 'an e-mail address, or a list of them',
        description: 'Who is told by mail; needs `mail`.',
      }),
    ),
    language: Type.Union([Type.Literal('en'), Type.Literal('ja')], {
      default: 'en',
      description: 'Of the messages.',
    }),
    webhook: Type.Optional(
      Type.Object(
        {
          url: Type.String({
            ...webAddress,
            secret: true,
            description: 'Gets each message as JSON, by POST.',
          }),
          secret: Type.String({
            minLength: 16,
            secret: true,
            write: 'secretFile: PATH, or ${VARIABLE}; 16 characters or more',
            description:
              'secretFile: PATH, or ${VARIABLE}: with it each message is signed (HMAC-SHA256), with its time.',
          }),
        },
        { ...closed, description: 'A program that is told.' },
      ),
    ),
    slack: Type.Optional(
      Type.Object(
        {
          url: Type.String({
            ...webAddress,
            secret: true,
            description: 'urlFile: PATH, or ${VARIABLE}: whoever knows it can write there.',
          }),
        },
        {
          ...closed,
          description:
            'An incoming webhook of Slack, or of what takes the same: Mattermost, Rocket.Chat, Discord (with /slack at its end).',
        },
      ),
    ),
    pingUrl: Type.Optional(
      Type.String({
        ...webAddress,
        secret: true,
        description:
          'pingUrlFile: PATH, or ${VARIABLE}. Asked for (GET) at the end of each round, so that somebody else notices when there are no more rounds, such as Healthchecks.',
      }),
    ),
    allowPrivateAddresses: Type.Boolean({
      default: false,
      description:
        'Whether `webhook`, `slack` and `pingUrl` may be on this machine or in a private network; else `network.allow` says which.',
    }),
    everySeconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      description: 'How often is looked, and sent what is to be sent.',
    }),
    groupMinutes: Type.Number({
      minimum: 0,
      maximum: 1440,
      default: 2,
      description: 'What is found within this time goes into one message.',
    }),
    pauseMinutes: Type.Number({
      minimum: 0,
      maximum: 1440,
      default: 15,
      description: 'At least so long from one message to the next.',
    }),
    holdMinutes: Type.Number({
      minimum: 0,
      maximum: 1440,
      default: 10,
      description:
        'So long something has to be well before that is told; twice as long each time that it comes back, up to six hours.',
    }),
    remindHours: Type.Number({
      exclusiveMinimum: 0,
      maximum: 8760,
      default: 24,
      description: 'What is still wrong is told again after this.',
    }),
    missedPeriods: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 3,
      description: 'A source is told of when it was not harvested for so many of its periods.',
    }),
    lagMinutes: Type.Number({
      exclusiveMinimum: 0,
      maximum: 10_080,
      default: 15,
      description: 'Changes that have not been published for longer are told of.',
    }),
    growth: Type.Integer({
      minimum: 1,
      default: 10,
      description:
        'So many more records of a source that cannot be read, within a day of one another, are told of.',
    }),
    diskFree: Type.Number({
      minimum: 0,
      exclusiveMaximum: 1,
      default: 0.1,
      description: 'Less than this share of a disk free is told of; 0: never.',
    }),
    backupDays: Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Literal(false)], {
      default: 8,
      description:
        'A backup that is older is told of, where one is known: `rsbridge backup` has made one, or `backupStamp` is there; false: never.',
    }),
    digestSchedule: Type.Union([Type.String(), Type.Literal(false)], {
      write: 'five or six fields of cron in quotes, such as "0 8 * * 1", or false for never',
      default: '0 8 * * 1',
      description:
        'When those whom `sources.NAME.digestTo` names are told how their repositories are (cron, in `timeZone`); false: never.',
    }),
    backupStamp: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A file that whatever makes your backups writes or touches when one is done: its date is that of the latest.',
      }),
    ),
  },
  { ...closed, default: {}, description: 'Who is told when something is wrong, and when (docs/alerts.md).' },
);

export const optionalMail = Type.Optional(mailSchema);
export type MailConfig = Static<typeof mailSchema>;
export type AlertsConfig = Static<typeof alertsSchema>;
