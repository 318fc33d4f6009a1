import type { MetadataValue } from '../dspace/dspace-item.ts';
import { type FieldName, fieldName } from '../dspace/field-name.ts';
import { legalText } from '../dspace/xml-document.ts';
import { fieldRules } from './field-rules.ts';

/** One value that a rule takes: text as XML can carry it, without blanks around. */
export interface Statement {
  readonly field: string;
  readonly value: string;
  readonly language: string | undefined;
  readonly authority: string | undefined;
}

/** Fields of a repository's own, each with what it says (`FieldRule.says`). */
export type LocalFields = Readonly<Record<string, string>>;

const saidByField: ReadonlyMap<string, string> = new Map(
  fieldRules.flatMap(({ says, fields }) => fields.map((field) => [field, says] as const)),
);
const orderOfField: ReadonlyMap<string, number> = new Map(
  fieldRules.flatMap(({ fields }) => fields).map((field, index) => [field, index]),
);

/** The field as the rules have it. */
function ruleOf(name: FieldName): string {
  const field = fieldName(name);
  return saidByField.has(field) || name.qualifier === undefined ? field : `${name.schema}.${name.element}.*`;
}

/** What becomes of them does not come from them as fields: the landing page, when DSpace took the item in, what it is. */
const known: ReadonlySet<string> = new Set([
  'dc.identifier.uri',
  'dc.date.accessioned',
  'dspace.entity.type',
]);

/** The fields of an item that nothing is made of, each once. */
export function fieldsNotTaken(metadata: readonly FieldName[], local: LocalFields): readonly string[] {
  const own = metadata.filter(
    (name) => !Object.hasOwn(local, fieldName(name)) && !known.has(fieldName(name)),
  );
  return [...new Set(own.filter((name) => !saidByField.has(ruleOf(name))).map(fieldName))];
}

export const whatFieldsSay: ReadonlySet<string> = new Set(fieldRules.map(({ says }) => says));

/** The values of an item, by what they say. */
export class Statements {
  readonly #bySays = new Map<string, Statement[]>();

  constructor(metadata: readonly MetadataValue[], local: LocalFields = {}) {
    const taken: { readonly says: string; readonly order: number; readonly statement: Statement }[] = [];
    for (const { schema, element, qualifier, value, language, authority } of metadata) {
      const field = fieldName({ schema, element, qualifier });
      const rule = ruleOf({ schema, element, qualifier });
      const says = (Object.hasOwn(local, field) ? local[field] : undefined) ?? saidByField.get(rule);
      const text = legalText(value).trim();
      if (says === undefined || text === '') continue;
      const order = orderOfField.get(rule) ?? Number.MAX_SAFE_INTEGER;
      taken.push({ says, order, statement: { field, value: text, language, authority } });
    }
    taken.sort((a, b) => a.order - b.order);
    for (const { says, statement } of taken) {
      const known = this.#bySays.get(says);
      if (known === undefined) this.#bySays.set(says, [statement]);
      else known.push(statement);
    }
  }

  of(says: string): readonly Statement[] {
    return this.#bySays.get(says) ?? [];
  }

  /** Everything of one kind: `subject` with each of its terms, in the order of the rules. */
  withTerms(kind: string): readonly { readonly term: string; readonly statement: Statement }[] {
    const prefix = `${kind}:`;
    return fieldRules
      .filter(({ says }) => says.startsWith(prefix))
      .flatMap(({ says }) =>
        this.of(says).map((statement) => ({ term: says.slice(prefix.length), statement })),
      );
  }
}
