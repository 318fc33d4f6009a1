import type { Language } from './language.ts';

/** What is made for a language when it is first asked for: a formatter takes as long to make as a twentieth of a short command. */
export function perLanguage<Made>(make: (language: Language) => Made): (language: Language) => Made {
  const made = new Map<Language, Made>();
  return (language) => {
    const known = made.get(language) ?? make(language);
    made.set(language, known);
    return known;
  };
}
