import type { Knex } from 'knex';
import { BridgeError } from '../../core/errors.ts';
import { anyInList, asList, insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { question, questionByKey } from '../engine/question.ts';
import { fromForm, keyIn, keyOfForm, type LinkForm, parseReference, referTo, toForm } from './link-form.ts';

/** Links as they are stored: `[…]`, or `#` with the key of a form that is kept once, and what the form does not have. */

/** So many forms are given keys per source at most; what has others keeps its links as they are. */
const mostForms = 50_000;

/** Links of one path as they are written, and as they are stored; a path nearly always has one of these. */
interface Formed {
  readonly links: string;
  readonly form: LinkForm | undefined;
  readonly other: Formed | undefined;
}

/** Gives the links of rows to be written their stored form. */
export async function storedLinks(
  trx: Knex.Transaction,
  sourceId: number,
  links: Iterable<{ readonly path: string; readonly links: string }>,
): Promise<(links: string, path: string) => string> {
  const forms = new Map<string, string>();
  const formed = new Map<string, Formed>();
  const find = (text: string, path: string) => {
    let found = formed.get(path);
    while (found && found.links !== text) found = found.other;
    return found;
  };
  for (const one of links) {
    if (find(one.links, one.path)) continue;
    const form = toForm(one.links, one.path);
    formed.set(one.path, { links: one.links, form, other: formed.get(one.path) });
    if (form && !forms.has(form.form)) forms.set(form.form, keyOfForm(form.form));
  }
  const kept = await keepForms(trx, sourceId, forms);
  return (text, path) => {
    const form = find(text, path)?.form;
    const key = form && kept.get(form.form);
    return form && key !== undefined ? referTo(key, form.rest) : text;
  };
}

/** @returns those of the forms that are there from now on, with their keys */
async function keepForms(
  trx: Knex.Transaction,
  sourceId: number,
  forms: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  if (forms.size === 0) return forms;
  const found = await findForms(trx, sourceId, [...forms.values()]);
  const absent = [...forms].filter(([, key]) => !found.has(key)).sort(([, a], [, b]) => (a < b ? -1 : 1));
  if (absent.length > 0) {
    const [row] = await trx('link_form').where({ source_id: sourceId }).count({ count: '*' });
    const some = Number(row?.count ?? 0) + absent.length > mostForms ? [] : absent;
    await insertRows(
      trx,
      'link_form',
      some.map(([form, id]) => ({ id, source_id: sourceId, form })),
      { conflict: { columns: ['id', 'source_id'], update: [] } },
    );
    for (const [form, key] of some) found.set(key, form);
  }
  // Another form under the same key: there is one chance in a hundred million for that.
  return new Map([...forms].filter(([form, key]) => found.get(key) === form));
}

async function findForms(
  db: Queryable,
  sourceId: number,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const rows: { id: string; form: string }[] = await db('link_form')
    .select('id', 'form')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'id', keys));
  return new Map(rows.map(({ id, form }) => [id, form]));
}

/** By key: a form never becomes another. */
const known = new Map<string, string>();
const keptForms = 5_000;

/**
 * Rows as they were read, with their links as they are.
 * @param columns that have links, or null
 */
export async function withLinks<Column extends string, Row extends { readonly path: string }>(
  db: Queryable,
  rows: readonly (Row & Readonly<Record<Column, string | null>>)[],
  columns: readonly Column[],
): Promise<typeof rows> {
  return putLinks(rows, columns, await readForms(db, keysIn(rows, columns)));
}

/** The same where the database answers at once; undefined: it does not, and rows may have been left half done. */
export function withLinksAtOnce<Column extends string, Row extends { readonly path: string }>(
  db: Queryable,
  rows: readonly (Row & Readonly<Record<Column, string | null>>)[],
  columns: readonly Column[],
): typeof rows | undefined {
  for (const row of rows as readonly (Row & Record<Column, string | null>)[]) {
    for (const column of columns) {
      const reference = parseReference(row[column] ?? '');
      if (!reference) continue;
      const form = known.get(reference.key) ?? formAtOnce(db, reference.key);
      if (form === undefined) return undefined;
      (row as Record<Column, string | null>)[column] = fromForm(form, reference.rest, row.path);
    }
  }
  return rows;
}

const formOfKey = question<{ form: string }, [key: string]>(1, (db, id) =>
  db('link_form').select('form').where({ id }).limit(1),
);

function formAtOnce(db: Queryable, key: string): string | undefined {
  const form = formOfKey.atOnce(db, key)?.[0]?.form;
  if (form !== undefined) remember(new Map([[key, form]]));
  return form;
}

function putLinks<Column extends string, Row extends { readonly path: string }>(
  rows: readonly (Row & Readonly<Record<Column, string | null>>)[],
  columns: readonly Column[],
  forms: ReadonlyMap<string, string>,
): typeof rows {
  for (const row of rows as readonly (Row & Record<Column, string | null>)[]) {
    for (const column of columns) {
      const reference = parseReference(row[column] ?? '');
      if (!reference) continue;
      const form = forms.get(reference.key) ?? missing(reference.key);
      (row as Record<Column, string | null>)[column] = fromForm(form, reference.rest, row.path);
    }
  }
  return rows;
}

/** Links as text, or with the form that they share with others: whoever writes whole lists looks at each form once. */
export type SharedLinks = string | LinkForm;

/** @returns the links of a row of these */
export async function sharedForms<Row extends { readonly links: string }>(
  db: Queryable,
  rows: readonly Row[],
): Promise<(links: string) => SharedLinks> {
  const forms = await readForms(db, keysIn(rows, ['links']));
  return (links) => {
    const reference = parseReference(links);
    if (!reference) return links;
    return { form: forms.get(reference.key) ?? missing(reference.key), rest: reference.rest };
  };
}

/** The same as text. */
export function textOfLinks(links: SharedLinks, path: string): string {
  return typeof links === 'string' ? links : fromForm(links.form, links.rest, path);
}

/** Within a query of SQL: of a column of links, with the name of its table, the text that has their collections. */
export function sharedLinks(column: string): string {
  return `(case when substr(${column}, 1, 1) = '#'
    then (select form from link_form where link_form.id = ${keyIn(column)} limit 1) else ${column} end)`;
}

function* keysIn<Column extends string>(
  rows: readonly Readonly<Record<Column, string | null>>[],
  columns: readonly Column[],
): Generator<string> {
  for (const row of rows)
    for (const column of columns) {
      const reference = parseReference(row[column] ?? '');
      if (reference) yield reference.key;
    }
}

async function readForms(db: Queryable, keys: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const forms = new Map<string, string>();
  const unknown = new Set<string>();
  for (const key of keys) {
    if (forms.has(key)) continue;
    const form = known.get(key);
    if (form === undefined) unknown.add(key);
    else forms.set(key, form);
  }
  if (unknown.size === 0) return forms;
  const rows = await formsOfKeys(db, asList(db, [...unknown]));
  const read = new Map(rows.map(({ id, form }) => [id, form]));
  remember(read);
  for (const [id, form] of read) forms.set(id, form);
  return forms;
}

const formsOfKeys = questionByKey<{ id: string; form: string }, [keys: string | readonly string[]]>(
  1,
  (db, keys) =>
    db('link_form')
      .select('id', 'form')
      .whereRaw(anyInList(db, 'id'), [keys as Knex.Value]),
);

function remember(forms: ReadonlyMap<string, string>): void {
  if (known.size + forms.size > keptForms) known.clear();
  for (const [key, form] of forms) known.set(key, form);
}

function missing(key: string): never {
  throw new BridgeError('storage', `the database is damaged: the form ${key} of links is missing`);
}
