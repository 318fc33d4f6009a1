import { webAddress } from './identifiers.ts';

const elements: ReadonlyMap<string, string> = new Map([
  ['by', 'Attribution'],
  ['by-sa', 'Attribution-ShareAlike'],
  ['by-nd', 'Attribution-NoDerivatives'],
  ['by-nc', 'Attribution-NonCommercial'],
  ['by-nc-sa', 'Attribution-NonCommercial-ShareAlike'],
  ['by-nc-nd', 'Attribution-NonCommercial-NoDerivatives'],
]);

/** The full name of a licence of Creative Commons, by its address; undefined for other addresses. */
export function licenceName(uri: string): string | undefined {
  const [, kind, name = '', version = '', place] =
    /^https?:\/\/creativecommons\.org\/(licenses|publicdomain)\/([a-z-]+)\/(\d\.\d)(?:\/([a-z]{2}))?(?:\/|$)/i.exec(
      uri,
    ) ?? [];
  if (kind === undefined) return undefined;
  if (kind.toLowerCase() === 'publicdomain') {
    if (name.toLowerCase() === 'zero') return `Creative Commons CC0 ${version} Universal`;
    return name.toLowerCase() === 'mark' ? `Public Domain Mark ${version}` : undefined;
  }
  const element = elements.get(name.toLowerCase());
  if (element === undefined) return undefined;
  const where = version >= '4' ? ' International' : place === undefined ? '' : ` ${place.toUpperCase()}`;
  return `Creative Commons ${element} ${version}${where}`;
}

export interface Licence {
  /** Its name, or its address where nobody has named it. */
  readonly text: string;
  readonly uri: string | undefined;
  readonly language: string | undefined;
}

/**
 * Texts and addresses as statements of rights: one of each belong together; else an address stands with the name that
 * it is known by.
 */
export function readLicences(
  texts: readonly { readonly value: string; readonly language: string | undefined }[],
  uris: readonly string[],
): readonly Licence[] {
  const [text, anotherText] = texts;
  const [uri, anotherUri] = uris.map((stated) => webAddress(stated));
  if (text && uri !== undefined && !anotherText && !anotherUri && webAddress(text.value) === undefined) {
    return [{ text: licenceName(uri) ?? text.value, uri, language: licenceName(uri) ? 'en' : text.language }];
  }
  const ofTexts = texts.map(
    ({ value, language }) => byAddress(webAddress(value)) ?? { text: value, uri: undefined, language },
  );
  const ofUris = uris.flatMap((stated) => byAddress(webAddress(stated)) ?? []);
  const seen = new Set<string>();
  return [...ofTexts, ...ofUris].filter(({ text: of, uri: to }) => {
    const key = to ?? of;
    return !seen.has(key) && seen.add(key);
  });
}

function byAddress(uri: string | undefined): Licence | undefined {
  return uri === undefined ? undefined : { text: licenceName(uri) ?? uri, uri, language: 'en' };
}
