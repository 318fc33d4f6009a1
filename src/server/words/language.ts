/** The languages of the pages; the first is spoken where nobody says which. */
export const languages = ['en', 'ja'] as const;
export type Language = (typeof languages)[number];

/** Texts of a page, or of several: whatever one language says, each other one has to say. */
export type Texts<Words> = Readonly<Record<Language, Words>>;

/** What each language is called by those who read it. */
export const languageNames: Texts<string> = { en: 'English', ja: '日本語' };

export interface LanguageSigns {
  /** `?lang=` of the address. */
  readonly query?: string | undefined;
  /** The cookie that remembers it. */
  readonly cookie?: string | undefined;
  readonly acceptLanguage?: string | undefined;
}

/** The first of these that names a language of ours. */
export function chooseLanguage(
  { query, cookie, acceptLanguage = '' }: LanguageSigns,
  otherwise: Language,
): Language {
  return toLanguage(query) ?? toLanguage(cookie) ?? preferredLanguage(acceptLanguage, otherwise);
}

/** `ja-JP` is Japanese. */
export function toLanguage(tag = ''): Language | undefined {
  const [primary = ''] = tag.trim().toLowerCase().split('-', 1);
  return languages.find((language) => language === primary);
}

/** RFC 9110 §12.5.4: by weight, then in the order given. */
function preferredLanguage(acceptLanguage: string, otherwise: Language): Language {
  const wanted = acceptLanguage.split(',').map((element) => {
    const [tag = '', ...parameters] = element.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter))?.replace(/^q\s*=\s*/i, '');
    return { tag, weight: weight === undefined ? 1 : Number(weight) };
  });
  let best: { readonly language: Language; readonly weight: number } | undefined;
  for (const { tag, weight } of wanted) {
    const language = tag === '*' ? otherwise : toLanguage(tag);
    if (language && weight > (best?.weight ?? 0) && weight <= 1) best = { language, weight };
  }
  return best?.language ?? otherwise;
}
