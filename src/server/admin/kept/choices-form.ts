import type { DraftChoices, DraftFound } from '../../../core/drafts/source-draft.ts';
import { html, type Markup } from '../../html/html.ts';
import type { Form } from '../page/form-body.ts';
import type { KeptWords } from './kept-words.ts';

const fileModes = ['proxy', 'link', 'mirror', 'none'] as const;

/** What can be chosen of a source that was found. */
export function choiceFields(found: DraftFound, choices: DraftChoices, words: KeptWords): Markup {
  const { formats, collections } = choices;
  const known = new Set(found.collections.map(({ spec }) => spec));
  const typed = (collections ?? []).filter((spec) => !known.has(spec));
  const isTaken = ({ name, selected }: DraftFound['formats'][number]) => formats?.includes(name) ?? selected;
  return html`<label for="name">${words.name}</label><input id="name" name="name" required pattern="[a-z0-9][a-z0-9\\-]*" maxlength="100" value="${choices.name ?? found.name}">
<label for="title">${words.title}</label><input id="title" name="title" maxlength="500" value="${choices.title ?? ''}">
<fieldset><legend>${words.formats}</legend>${found.formats.map((one) => checkbox('format', one.name, one.name, isTaken(one)))}</fieldset>
<fieldset><legend>${words.sets}</legend>${
    found.collectionsTrouble !== undefined &&
    html`<p>${words.setsTrouble} <bdi lang="en">${found.collectionsTrouble}</bdi></p>`
  }<div class="raw">${found.collections.map(({ spec, name }) => checkbox('set', spec, name, collections?.includes(spec) ?? false))}</div>
${(found.hasMoreCollections || typed.length > 0) && html`<label for="sets">${words.moreSets}</label><textarea id="sets" name="sets" rows="4" cols="40">${typed.join('\n')}</textarea>`}</fieldset>
<label for="files">${words.files}</label><select id="files" name="files">${(['', ...fileModes] as const).map((mode) => html`<option value="${mode}"${mode === (choices.files ?? '') && html` selected`}>${words.fileModes[mode]}</option>`)}</select>`;
}

function checkbox(field: string, value: string, label: string, isChecked: boolean): Markup {
  const more = label !== value && html` <bdi class="soft mono">${value}</bdi>`;
  return html`<div><label class="inline any"><input type="checkbox" name="${field}" value="${value}"${isChecked && html` checked`}> <bdi>${label}</bdi>${more}</label></div>
`;
}

/**
 * What was chosen; what is as `rsbridge sources add` would have it is left out.
 * @param kept chosen before, with the address
 */
export function readChoices(
  form: Form,
  found: DraftFound,
  kept: Pick<DraftChoices, 'adapter' | 'group'>,
): DraftChoices {
  const { adapter, group } = kept;
  const text = (value: string | undefined) => (value?.trim() ? value.trim() : undefined);
  const formats = linesOf(form.format);
  const usual = found.formats.filter(({ selected }) => selected).map(({ name }) => name);
  const isUsual = formats.length === usual.length && usual.every((name) => formats.includes(name));
  const collections = [...new Set([...linesOf(form.set), ...linesOf(form.sets)])];
  const all = {
    ...{ adapter, group },
    name: text(form.name),
    title: text(form.title),
    formats: isUsual ? undefined : formats,
    collections: collections.length === 0 ? undefined : collections,
    files: fileModes.find((mode) => mode === form.files),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** The lines of a text that have something on them. */
export function linesOf(text = ''): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
