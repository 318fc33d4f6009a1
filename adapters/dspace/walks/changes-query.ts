import type { AdapterContext } from '../../../src/core/adapter.ts';
import { addSeconds, toIso } from '../../../src/core/datetime.ts';
import { say } from '../../../src/core/reasons/reason.ts';

/**
 * How what has changed is asked for. `indexed`: by the dates of the items and of their indexing, which tells of
 * changed policies and relations, too; `reindexed`: by the latter alone, which nearly always includes the former;
 * `modified`: by the former alone; `accessioned`: no dates can be asked for, and the newest items are looked through,
 * which tells of new ones only.
 */
export type ChangesForm = 'indexed' | 'reindexed' | 'modified' | 'accessioned';

const forms: readonly ChangesForm[] = ['indexed', 'reindexed', 'modified', 'accessioned'];

const lesson = 'changes-query';
/** After so many days what was refused is tried again: servers are updated, and their guards are. */
const days = 30;

const sentences: Readonly<Record<Exclude<ChangesForm, 'indexed'>, string>> = {
  reindexed: say('search-without-or', {}),
  modified: say('search-without-indexing', {}),
  accessioned: say('search-without-dates', {}),
};

export function isChangesForm(value: unknown): value is ChangesForm {
  return forms.some((form) => form === value);
}

/** @param since ISO UTC seconds */
export function changesQuery(form: Exclude<ChangesForm, 'accessioned'>, since: string): string {
  const range = `[${since.replace('Z', '.000Z')} TO *]`;
  const modified = `lastModified:${range}`;
  const indexed = `SolrIndexer.lastIndexed:${range}`;
  if (form === 'indexed') return `(${modified} OR ${indexed})`;
  return form === 'modified' ? modified : indexed;
}

export function nextForm(form: ChangesForm): ChangesForm | undefined {
  return forms[forms.indexOf(form) + 1];
}

export function learntForm({ lessons, clock }: Pick<AdapterContext, 'lessons' | 'clock'>): ChangesForm {
  const [form, learntAt] = (lessons.get(lesson) ?? '').split(' ');
  const isOld = (learntAt ?? '') < addSeconds(toIso(clock.now()), -days * 86_400);
  return isChangesForm(form) && !isOld ? form : 'indexed';
}

/** What is answered where others were refused; or that none is. */
export function learnForm({ lessons, clock }: Pick<AdapterContext, 'lessons' | 'clock'>, form: ChangesForm) {
  if (form === 'indexed') lessons.forget(lesson);
  else lessons.learn(lesson, `${form} ${toIso(clock.now())}`, sentences[form]);
}
