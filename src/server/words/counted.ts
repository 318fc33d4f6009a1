import type { Language } from './language.ts';
import { perLanguage } from './per-language.ts';

/** The forms of a phrase with a number in it, at `#`. Japanese has one. */
type Forms = { readonly one?: string; readonly other: string };

const rules = perLanguage((language) => new Intl.PluralRules(language));
const grouped = perLanguage((language) => new Intl.NumberFormat(language));

/** A phrase that agrees with its number: `1 item`, `1,200 items`; `1,200件のアイテム`. */
export function counted(language: Language, { one, other }: Forms): (value: number) => string {
  return (value) => {
    const form = rules(language).select(value) === 'one' ? (one ?? other) : other;
    return form.replace('#', () => grouped(language).format(value));
  };
}
