import { webUrl } from '../addresses/web-url.ts';
import type { Description, JournalPlace, StatedText } from './description.ts';
import { isReading, languageTag, mainLanguage, shownLanguage } from './languages.ts';
import { readDoi, readHandle } from './persistent-identifiers.ts';
import { plainText, withoutTags } from './plain-text.ts';
import { isClockTime, readDate } from './stated-date.ts';
import { typeName } from './types-of-works.ts';

const longest = { title: 500, name: 200, word: 100, abstract: 5000, licence: 300, publisher: 300 } as const;
const most = { titles: 20, creators: 200, subjects: 50, others: 50 } as const;

/** A name, perhaps in several languages or scripts. */
export type NameForms = readonly { readonly text: string; readonly language?: string | undefined }[];

/** Gathers what a format states, in whatever order; `finish` chooses. */
export class Draft {
  readonly #titles: StatedText[] = [];
  readonly #creators: (readonly StatedText[])[] = [];
  readonly #dates: { readonly rank: number; readonly date: string }[] = [];
  readonly #types: string[] = [];
  readonly #abstracts: (StatedText & { readonly rank: number })[] = [];
  readonly #rights: { readonly text: string | undefined; readonly uri: string | undefined }[] = [];
  readonly #subjects: string[] = [];
  readonly #journal: { -readonly [Key in keyof JournalPlace]?: string | undefined } = {};
  #publisher: string | undefined;
  #language: string | undefined;
  #doi: string | undefined;
  #handle: string | undefined;
  #isbn: string | undefined;

  title(text: string, language?: string): void {
    this.#text(this.#titles, text, language, longest.title, most.titles);
  }

  creator(forms: NameForms): void {
    if (this.#creators.length >= most.creators) return;
    const names: StatedText[] = [];
    for (const { text, language } of forms) this.#text(names, text, language, longest.name, most.others);
    if (names.length > 0) this.#creators.push(names);
  }

  /** @param rank 0: of publication; more: the next best thing */
  date(text: string, rank: number): void {
    const date = this.#dates.length < most.others ? readDate(text) : undefined;
    if (date !== undefined) this.#dates.push({ date, rank: isClockTime(text) ? rank + 0.5 : rank });
  }

  type(text: string): void {
    const type = this.#types.length < most.others ? typeName(plainText(text, longest.word)) : undefined;
    if (type !== undefined) this.#types.push(type);
  }

  /** @param rank 0: it is called one; more: it may be one */
  abstract(text: string, language?: string, rank = 0): void {
    if (this.#abstracts.length >= most.others) return;
    const found: StatedText[] = [];
    this.#text(found, withoutTags(text.slice(0, 4 * longest.abstract)), language, longest.abstract, 1);
    for (const one of found) this.#abstracts.push({ ...one, rank });
  }

  /** What may be done with it, not who may see it. */
  rights(text: string, address?: string): void {
    if (this.#rights.length >= most.others) return;
    const stated = plainText(text, longest.licence);
    const uri = webUrl(address?.trim() ?? '')?.href ?? webUrl(text.trim())?.href;
    const words = stated !== undefined && webUrl(stated) ? undefined : stated;
    if (words !== undefined && uri === undefined && isAccess.test(words)) return;
    if (uri !== undefined && /\/access_right\//.test(uri)) return;
    if (words !== undefined || uri !== undefined) this.#rights.push({ text: words, uri });
  }

  publisher(text: string): void {
    this.#publisher ??= plainText(text, longest.publisher);
  }

  language(text: string): void {
    this.#language ??= languageTag(text);
  }

  subject(text: string): void {
    const subject = this.#subjects.length < most.subjects ? plainText(text, longest.name) : undefined;
    if (subject !== undefined && !this.#subjects.includes(subject)) this.#subjects.push(subject);
  }

  /** Any that is stated of the item itself. */
  identifier(text: string, kind?: string): void {
    this.#doi ??= readDoi(text);
    this.#handle ??= readHandle(text);
    if (/^isbn$/i.test(kind ?? '')) this.#isbn ??= plainText(text, longest.word);
  }

  journal(part: keyof JournalPlace, text: string): void {
    this.#journal[part] ??= plainText(text, part === 'title' ? longest.title : longest.word);
  }

  /** Undefined: it says nothing that anybody would ask for. */
  finish(): Description | undefined {
    const titles = this.#titles.map((title) => this.#shown(title));
    const title = titles.find(({ language }) => !isReading(language)) ?? titles[0];
    const language = title?.language ?? this.#language;
    const creators = this.#creators.map((forms) => inLanguage(forms, language).text);
    const date = best(this.#dates)?.date;
    const abstracts = this.#abstracts.map((abstract) => this.#shown(abstract));
    const called = abstracts.filter(({ rank }) => rank === best(abstracts)?.rank);
    const abstract = called.length > 0 ? inLanguage(called, language) : undefined;
    if (title === undefined && creators.length === 0 && date === undefined && abstract === undefined)
      return undefined;
    const { title: name, issn, volume, issue, firstPage, lastPage } = this.#journal;
    const hasJournal = Object.values(this.#journal).some((part) => part !== undefined);
    return {
      title,
      otherTitles: titles.filter(
        (other) =>
          other.text !== title?.text && other.language !== title?.language && !isReading(other.language),
      ),
      creators: [...new Set(creators)],
      date,
      type: this.#types.find((type) => !isGeneric.test(type)) ?? this.#types[0],
      abstract: abstract && { text: abstract.text, language: abstract.language },
      licence: this.#rights.find(({ uri }) => uri !== undefined) ?? this.#rights[0],
      publisher: this.#publisher,
      journal: hasJournal ? { title: name, issn, volume, issue, firstPage, lastPage } : undefined,
      language: this.#language,
      subjects: this.#subjects,
      doi: this.#doi,
      handle: this.#handle,
      isbn: this.#isbn,
    };
  }

  #text(list: StatedText[], text: string, language: string | undefined, length: number, limit: number): void {
    const clean = list.length < limit ? plainText(text, length) : undefined;
    if (clean !== undefined) list.push({ text: clean, language: languageTag(language) });
  }

  #shown<Text extends StatedText>(text: Text): Text {
    return { ...text, language: text.language ?? shownLanguage(text.text, this.#language) };
  }
}

/** Words of DCMI that nearly everything is. */
const isGeneric = /^(?:text|other|その他)$/i;
const isAccess =
  /^(?:info:eu-repo\/semantics\/)?(?:open|closed|restricted|embargoed|metadata only)[ -]?access$/i;

function best<Entry extends { readonly rank: number }>(entries: readonly Entry[]): Entry | undefined {
  return entries.reduce<Entry | undefined>(
    (chosen, entry) => (chosen === undefined || entry.rank < chosen.rank ? entry : chosen),
    undefined,
  );
}

/** In the language of the title, if there is one; never as it is pronounced, if it is written, too. */
function inLanguage<Text extends StatedText>(forms: readonly Text[], wanted: string | undefined): Text {
  const written = forms.filter(({ language }) => !isReading(language));
  const suiting = written.find(
    ({ language }) => language !== undefined && mainLanguage(language) === mainLanguage(wanted),
  );
  return suiting ?? written[0] ?? (forms[0] as Text);
}
