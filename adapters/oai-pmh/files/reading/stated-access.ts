import type { FileAccess } from '../../../../src/core/adapter.ts';
import { parseDatestamp } from '../../../../src/core/datetime.ts';

/** Who may read a file, as a payload says it. */
export interface StatedAccess {
  readonly access: FileAccess;
  /** Of embargoed ones: ISO UTC. */
  readonly availableAt?: string | undefined;
}

/** COAR access rights, by the code their URI ends in. */
const coar: ReadonlyMap<string, FileAccess> = new Map([
  ['c_abf2', 'open'],
  ['c_f1cf', 'embargoed'],
  ['c_16ec', 'restricted'],
  // Metadata only: whatever lies there is for nobody.
  ['c_14cb', 'restricted'],
]);

/** The words of info:eu-repo/semantics, eprints' access rights and securities, DSpace's access status, COAR's labels. */
const words: ReadonlyMap<string, FileAccess> = new Map<string, FileAccess>([
  ['openaccess', 'open'],
  ['open', 'open'],
  ['embargoedaccess', 'embargoed'],
  ['embargoed', 'embargoed'],
  ['embargo', 'embargoed'],
  ['restrictedaccess', 'restricted'],
  ['restricted', 'restricted'],
  ['closedaccess', 'restricted'],
  ['closed', 'restricted'],
  ['metadataonly', 'restricted'],
  ['metadataonlyaccess', 'restricted'],
  ['nonpublic', 'restricted'],
  ['public', 'open'],
  ['validuser', 'restricted'],
  ['staffonly', 'restricted'],
]);

/** Terms of vocabularies only: nothing is read out of sentences. */
export function readAccess(text: string | undefined): FileAccess | undefined {
  if (text === undefined || text.length > 200) return undefined;
  const term = text.trim();
  const known = coar.get(/(?:^|access_right\/)(c_[0-9a-z]+)\/?$/i.exec(term)?.[1]?.toLowerCase() ?? '');
  if (known !== undefined) return known;
  const word = term
    .replace(/^info:eu-repo\/semantics\//i, '')
    .replace(/^https?:\/\/(?:www\.)?purl\.org\/eprint\/accessRights\//i, '');
  return /^(?:https?|info):/i.test(word) ? undefined : words.get(word.toLowerCase().replace(/[\s._-]/g, ''));
}

/** The day of an embargo's end, as `YYYY-MM-DD`, a datetime or `info:eu-repo/date/embargoEnd/…`. */
export function readAvailableAt(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const date = text.trim().replace(/^info:eu-repo\/date\/embargoEnd\//i, '');
  const precise = /^\d{4}-\d{2}-\d{2}T/.test(date) ? date : /^\d{4}-\d{2}-\d{2}$/.exec(date)?.[0];
  if (precise !== undefined) return parseDatestamp(precise);
  // A month or a year ends an embargo when it is over: nothing is published too early.
  const [, year, month] = /^(\d{4})(?:-(\d{2}))?$/.exec(date) ?? [];
  if (year === undefined || Number(year) < 1000) return undefined;
  const [nextYear, nextMonth] =
    month === undefined || month === '12' ? [Number(year) + 1, 1] : [Number(year), Number(month) + 1];
  return parseDatestamp(`${String(nextYear).padStart(4, '0')}-${String(nextMonth).padStart(2, '0')}-01`);
}

/** An embargo with its end, where one is stated; an end that has come makes the file an open one. */
export function embargo(availableAt: string | undefined): StatedAccess {
  return availableAt === undefined ? { access: 'embargoed' } : { access: 'embargoed', availableAt };
}
