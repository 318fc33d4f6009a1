import type { Language } from './language.ts';

/** The forms of a phrase with a number in it, at `#`. Japanese has one. */
type Forms = { readonly one?: string; readonly other: string };

const rules = { en: new Intl.PluralRules('en'), ja: new Intl.PluralRules('ja') };
const grouped = { en: new Intl.NumberFormat('en'), ja: new Intl.NumberFormat('ja') };

/** A phrase that agrees with its number: `1 item`, `1,200 items`; `1,200件のアイテム`. */
export function counted(language: Language, { one, other }: Forms): (value: number) => string {
  return (value) => {
    const form = rules[language].select(value) === 'one' ? (one ?? other) : other;
    return form.replace('#', () => grouped[language].format(value));
  };
}
