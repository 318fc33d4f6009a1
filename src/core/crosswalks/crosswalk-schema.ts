import { type Static, Type } from '@sinclair/typebox';
import { fieldRules, nothing } from './field-rules.ts';

const closed = { additionalProperties: false } as const;

const words = [...fieldRules.map(({ says }) => says), nothing];

function fieldsOf(description: string) {
  const word = Type.String({
    pattern: `^(?:${words.join('|')})$`,
    write: 'what the field says, such as subject:NDC or alternative (docs/crosswalks.md lists all)',
  });
  return Type.Optional(Type.Record(Type.String(), word, { description }));
}

/** What a repository knows of itself that its records do not say, for the formats that are made of them. */
export const crosswalkSchema = Type.Object(
  {
    fields: fieldsOf(
      'Fields of its own, each with what it says, e.g. { "dc.local.ndc": "subject:NDC" }; it counts instead of what such a field says elsewhere ([crosswalks.md](crosswalks.md#fields) lists the words).',
    ),
    jpcoar: fieldsOf('The same for `jpcoar_2.0` alone, before `fields`.'),
    openaire: fieldsOf('The same for `oai_openaire` alone, before `fields`.'),
    doiPrefixes: Type.Optional(
      Type.Array(
        Type.String({
          pattern: '^10\\.\\d{4,9}$',
          write: 'the part of a DOI before the slash, such as 10.15017',
        }),
        {
          minItems: 1,
          uniqueItems: true,
          description:
            'Prefixes of the DOIs that the repository gives to its own items, e.g. [10.15017]; other DOIs are those of publishers.',
        },
      ),
    ),
  },
  {
    ...closed,
    description: 'DSpace: how items become `jpcoar_2.0` and `oai_openaire`, if they are among `formats`.',
  },
);

export type CrosswalkConfig = Static<typeof crosswalkSchema>;
