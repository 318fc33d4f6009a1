import type { DspaceItem } from '../dspace/dspace-item.ts';
import { type FieldRule, fieldRules } from './field-rules.ts';
import { about } from './finding.ts';
import { toJpcoar } from './jpcoar.ts';
import { toOpenaire } from './openaire.ts';
import type { LocalFields } from './statements.ts';
import type { Circumstances, Work } from './work.ts';
import { readWork } from './work-reader.ts';
import type { Written } from './written.ts';

/** The formats with vocabularies of their own, by their names in `formats`. */
export type Target = 'jpcoar_2.0' | 'oai_openaire';

export function isTarget(format: string): format is Target {
  return Object.hasOwn(writers, format);
}

const writers: Readonly<Record<Target, (work: Work) => Written>> = {
  'jpcoar_2.0': toJpcoar,
  oai_openaire: toOpenaire,
};

/** Entities that are no works, though they are items: nobody lists a person in JPCOAR. */
const noWorks: ReadonlySet<string> = new Set([
  'Person',
  'OrgUnit',
  'Project',
  'Journal',
  'JournalVolume',
  'JournalIssue',
  'Event',
  'Equipment',
  'Funding',
]);

/** What the source's own fields say in a target. */
export function localFieldsFor(
  target: Target,
  { localFields, localFieldsOf }: Pick<Circumstances, 'localFields' | 'localFieldsOf'>,
): LocalFields {
  return { ...localFields, ...localFieldsOf?.[target] };
}

/**
 * An item in the words of a target, and what it lacks for that, or has in a form that the target refuses.
 * @param item without what is internal to its repository
 */
export function writeWork(target: Target, item: DspaceItem, circumstances: Circumstances): Written {
  if (item.entityType !== undefined && noWorks.has(item.entityType))
    return { document: undefined, findings: [] };
  const own = localFieldsFor(target, circumstances);
  const { work, remarks } = readWork(item, { ...circumstances, localFields: own });
  const { document, findings } = writers[target](work);
  const ofValues = remarks.flatMap(({ kind, says, statement, message }) => {
    const name = elementOf(target, says);
    return name === undefined ? [] : about(kind, name, statement, sentence(message));
  });
  return { document, findings: [...findings, ...ofValues] };
}

const rules: ReadonlyMap<string, FieldRule> = new Map(fieldRules.map((rule) => [rule.says, rule]));

/** Undefined: the target has no element for it, and nothing is lost. */
function elementOf(target: Target, says: string): string | undefined {
  const rule = rules.get(says);
  return target === 'jpcoar_2.0' ? rule?.jpcoar : rule?.openaire;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
