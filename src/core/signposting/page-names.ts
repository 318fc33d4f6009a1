/** The addresses by which a landing page is known: asked for, redirected to, to be cited by. */
export type PageNames = ReadonlySet<string>;

export function pageNames(urls: readonly string[]): PageNames {
  return new Set(urls.map(comparable));
}

export function isNameOf(page: PageNames, url: string): boolean {
  return page.has(comparable(url));
}

/** Repositories call themselves now http, now https, now with a slash at the end. */
function comparable(url: string): string {
  return url
    .replace(/#.*$/s, '')
    .replace(/^https?:/i, '')
    .replace(/\/+$/, '');
}
