import { type TSchema, Type } from '@sinclair/typebox';
import { isObject } from './schema-faults.ts';
import { closed, sourceSchema } from './source-schema.ts';
import { suggest } from './suggestion.ts';

/** What belongs to one repository: its address, what names it, and secrets, which are for one host. */
const ownSettings = ['url', 'privateHost', 'title', 'group', 'access', 'headers', 'login'];

const shared = Object.entries(sourceSchema.properties).filter(([key]) => !ownSettings.includes(key));

/** What one group may say. */
export const groupSchema = Type.Object(
  Object.fromEntries(shared.map(([key, setting]) => [key, sparse(setting)])),
  closed,
);

/** Settings that sources have in common, so that eight hundred of them are as many lines. */
export const groupsSchema = Type.Record(Type.String({ pattern: '^[a-z0-9-]+$' }), groupSchema, {
  default: {},
  // Of the reference: what they mean is said there.
  meaning: 'sources',
  description:
    'Settings that several sources share, by a name that they have as `group`: any of a source but `url`, `privateHost`, `title`, `access`, `headers` and `login`. What a source says itself takes precedence, setting by setting, also within `files`, `mementos`, `sets` and `deletionFuse`; a list replaces the list.',
  write: 'the settings of each group below its name, such as { jairo: { formats: [jpcoar_2.0] } }',
});

/** Without defaults, and with nothing that has to be there: what is not said is said elsewhere. */
function sparse(schema: TSchema): TSchema {
  const { default: _, ...rest } = schema;
  if (!isObject(schema.properties)) return Type.Optional(rest as TSchema);
  const properties = Object.entries(schema.properties as Record<string, TSchema>);
  return Type.Optional(
    Type.Object(Object.fromEntries(properties.map(([key, child]) => [key, sparse(child)])), {
      ...closed,
      ...(schema.description === undefined ? {} : { description: schema.description }),
    }),
  );
}

/** Each source with the settings of its group, where it has none of its own; of a group that is not there, with none. */
export function withGroups(raw: unknown): unknown {
  if (!isObject(raw) || !isObject(raw.sources) || !isObject(raw.groups)) return raw;
  const { groups } = raw;
  const sources = Object.entries(raw.sources).map(([name, source]) => {
    const group = isObject(source) && typeof source.group === 'string' ? source.group : '';
    return [name, Object.hasOwn(groups, group) ? over(groups[group], source) : source];
  });
  return { ...raw, sources: Object.fromEntries(sources) };
}

/** Of what these are made, each has its own meaning without the others. */
const parted = ['files', 'mementos', 'sets', 'deletionFuse'];

function over(base: unknown, own: unknown): unknown {
  if (!isObject(base) || !isObject(own)) return own;
  const within = parted
    .filter((key) => isObject(base[key]) && isObject(own[key]))
    .map((key) => [key, { ...(base[key] as object), ...(own[key] as object) }]);
  return { ...base, ...own, ...Object.fromEntries(within) };
}

/** What is said of groups by the sources, a sentence for each fault. */
export function* groupFaults(sources: unknown, groups: unknown): Generator<string> {
  const known = Object.keys(isObject(groups) ? groups : {});
  for (const [name, source] of Object.entries(isObject(sources) ? sources : {})) {
    const group = isObject(source) ? source.group : undefined;
    if (typeof group === 'string' && !known.includes(group))
      yield `sources.${name}.group: there is no group "${group}"${known.length === 0 ? '; write its settings below `groups:`' : suggest(group, known)}`;
  }
}
