import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { chooseLanguage, type Language, languages, toLanguage } from '../words/language.ts';
import { createReader, type Reader } from '../words/reader.ts';
import { varyBy } from './negotiation.ts';

/** Holds nothing but a language. */
const cookieName = 'lang';
const cookieSeconds = 31_536_000;

/**
 * Whom a page is for; the headers of the answer say so. To be called for pages alone: what programs read is in no
 * language.
 */
export function readerFor(
  deps: Pick<ServerDeps, 'baseUrl' | 'pages'>,
  { url, headers }: Pick<FastifyRequest, 'url' | 'headers'>,
  reply: FastifyReply,
): Reader {
  const { language: usual = 'en', timeZone, isAlone = false } = deps.pages ?? {};
  if (isAlone) {
    reply.header('content-language', usual);
    return createReader(usual, timeZone);
  }
  const rest = withoutLanguage(url);
  const cookie = cookieOf(headers.cookie);
  const language = languageOf({ url, headers }, usual);
  reply.header('content-language', language);
  varyBy(reply, 'Accept-Language');
  varyBy(reply, 'Cookie');
  if (toLanguage(rest.language) === language && toLanguage(cookie) !== language)
    reply.header('set-cookie', cookieFor(deps.baseUrl, language));
  const others = languages
    .filter((other) => other !== language)
    .map((other) => ({ language: other, href: `?${[...rest.query, `lang=${other}`].join('&')}` }));
  return createReader(language, timeZone, others);
}

/** Which language whoever asks would have. @param usual where nothing says which */
export function languageOf(
  { url, headers }: Pick<FastifyRequest, 'url' | 'headers'>,
  usual: Language = 'en',
): Language {
  const cookie = cookieOf(headers.cookie);
  const acceptLanguage = headers['accept-language'];
  return chooseLanguage({ query: withoutLanguage(url).language, cookie, acceptLanguage }, usual);
}

/** The query of an address, and what it says of the language. */
function withoutLanguage(url: string): { readonly query: readonly string[]; readonly language?: string } {
  const at = url.indexOf('?');
  const all = at < 0 ? [] : url.slice(at + 1).split('&');
  const isLanguage = (part: string) => part.startsWith('lang=');
  const language = all.findLast(isLanguage)?.slice('lang='.length);
  const query = all.filter((part) => part !== '' && !isLanguage(part));
  return language === undefined ? { query } : { query, language };
}

function cookieOf(field = ''): string | undefined {
  const found = field.split(';').map((pair) => pair.trim());
  return found.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
}

function cookieFor(baseUrl: string, language: Language): string {
  const { protocol, pathname } = new URL(baseUrl);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${cookieName}=${language}; Path=${pathname}; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
