import type { FastifyRequest } from 'fastify';
import type { ServerDeps } from '../../deps.ts';
import { languageOf } from '../../http/page-reader.ts';
import type { Language, Texts } from '../../words/language.ts';
import { createReader, type Reader } from '../../words/reader.ts';
import { type AdminWords, english } from './words.ts';
import { japanese } from './words-ja.ts';

const words: Texts<AdminWords> = { en: english, ja: japanese };

export { languageOf };

/** What the reader asked for last: in the address, before that in a cookie, else what the browser prefers. */
export function wordsOf(request: Pick<FastifyRequest, 'url' | 'headers'>): AdminWords {
  return words[languageOf(request)];
}

export function wordsIn(language: Language): AdminWords {
  return words[language];
}

/** Numbers and times for the reader. */
export function readerOf(
  { pages }: Pick<ServerDeps, 'pages'>,
  request: Pick<FastifyRequest, 'url' | 'headers'>,
): Reader {
  return createReader(languageOf(request), pages?.timeZone);
}
