import { type Static, Type } from '@sinclair/typebox';

const endpoint = {
  pattern: '^https?://[^/@]+(/|$)',
  write:
    'the web address of its OAI-PMH endpoint, without a name and password, such as https://repo.example.org/server/oai/request',
};

const closed = { additionalProperties: false } as const;

const said = {
  adminEmail: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*@(?!localhost\\b)[A-Za-z0-9.-]+\\.[a-z]{2,}$',
      write: 'an e-mail address without +, at a host with a domain, such as repository@example.ac.jp',
      description: 'Whom harvesters write to; default: `contact`.',
    }),
  ),
  rights: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s<>"]+$',
      write: 'a web address, such as https://creativecommons.org/publicdomain/zero/1.0/',
      description: 'The licence of the metadata: Identify names it.',
    }),
  ),
  icon: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s<>"]+$',
      write: 'the web address of an image, such as https://repo.example.ac.jp/logo.png',
      description: 'An image that services may show beside its records: Identify names it (branding).',
    }),
  ),
};

const someSources = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, pattern: '^[a-z0-9*-]+$' }), { minItems: 1, description }),
  );

/** OAI-PMH of all sources together. */
export const jointOaiSchema = Type.Union(
  [
    Type.Boolean(),
    Type.Object(
      {
        adminEmail: said.adminEmail,
        name: Type.Optional(Type.String({ minLength: 1, description: 'Default: `title`.' })),
        rights: said.rights,
        icon: said.icon,
        sources: someSources(
          'Only these sources, and those of `groups`; `*` stands for any characters. Default: all that are not private.',
        ),
        groups: someSources(
          'Only sources of these groups, and those of `sources`; `*` stands for any characters.',
        ),
      },
      closed,
    ),
  ],
  {
    write: 'true, or settings such as { adminEmail: repository@example.ac.jp }',
    description:
      'true, or { adminEmail, name, rights, icon, sources, groups }: answer OAI-PMH at /oai for all sources that are not private, each as a set. Default: it is not answered.',
  },
);

type JointOaiSetting = Static<typeof jointOaiSchema> | undefined;

/** What is configured of all sources together; undefined: they are not answered together. */
export function offeredJointOai(oai: JointOaiSetting): Exclude<JointOaiSetting, boolean> {
  return oai === true ? {} : oai === false ? undefined : oai;
}

const offer = Type.Object(
  {
    from: Type.Optional(
      Type.Union([Type.String(endpoint), Type.Literal(false)], {
        write: `${endpoint.write}, or false`,
        description: 'DSpace: its own OAI-PMH endpoint, as `oai: URL` and `oai: false` say it.',
      }),
    ),
    adminEmail: said.adminEmail,
    name: Type.Optional(
      Type.String({ minLength: 1, description: 'Default: what the repository calls itself.' }),
    ),
    namespace: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9-]*(\\.[A-Za-z][A-Za-z0-9-]+)+$',
        write: 'a domain, such as repo.example.ac.jp',
        description:
          'What stands behind `oai:` in its identifiers, if that is the same in all: Identify says so then.',
      }),
    ),
    rights: said.rights,
    icon: said.icon,
  },
  closed,
);

/** OAI-PMH of a source: whether we answer it, and, of a DSpace, where its own endpoint is. */
export const oaiSchema = Type.Union([Type.String(endpoint), Type.Boolean(), offer], {
  write: `true, settings such as { adminEmail: repository@example.ac.jp }, or, of a DSpace, ${endpoint.write}, or false`,
  description:
    'true, or { adminEmail, name, namespace, rights, icon }: answer OAI-PMH at /SOURCE/oai. Default: it is not answered. DSpace: a URL is that of its own OAI-PMH endpoint, e.g. https://repo.example.org/server/oai/request (default: where it usually is; false: leave it alone); both together are { from: URL }.',
});

type OaiSetting = Static<typeof oaiSchema> | undefined;

/** What is configured of what we answer. */
export type OfferedOai = Omit<Static<typeof offer>, 'from'>;

/** Where a DSpace's own endpoint is; false: it is not to be used; undefined: where it usually is. */
export function upstreamOai(oai: OaiSetting): string | false | undefined {
  if (oai === true) return undefined;
  return typeof oai === 'object' ? oai.from : oai;
}

/** @returns undefined where we do not answer */
export function offeredOai(oai: OaiSetting): OfferedOai | undefined {
  if (oai === true) return {};
  return typeof oai === 'object' ? oai : undefined;
}

/** What harvesters and validators take for an address that people read. */
export function isAdminEmail(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]*@(?!localhost\b)[A-Za-z0-9.-]+\.[a-z]{2,}$/.test(text);
}

/** The first that is one, of those that may be configured. */
export function adminEmailOf(...addresses: readonly (string | undefined)[]): string | undefined {
  return addresses.find((address) => address !== undefined && isAdminEmail(address));
}
