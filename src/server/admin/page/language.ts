import type { FastifyRequest } from 'fastify';
import { type AdminWords, english } from './words.ts';
import { japanese } from './words-ja.ts';

export type Language = 'en' | 'ja';

const words: Readonly<Record<Language, AdminWords>> = { en: english, ja: japanese };

/** What the reader asked for last: in the address, before that in a cookie, else what the browser prefers. */
export function languageOf({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): Language {
  const { lang } = (query ?? {}) as { lang?: unknown };
  const [, kept] = /(?:^|;\s*)lang=(en|ja)(?:;|$)/.exec(headers.cookie ?? '') ?? [];
  for (const said of [lang, kept]) if (said === 'en' || said === 'ja') return said;
  const preferred = (headers['accept-language'] ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', weight = ''] = part.trim().toLowerCase().split(';');
      return { tag: tag.split('-')[0], weight: Number(/q=([\d.]+)/.exec(weight)?.[1] ?? 1) };
    })
    .filter(({ tag, weight }) => (tag === 'en' || tag === 'ja') && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return preferred[0]?.tag === 'ja' ? 'ja' : 'en';
}

export function wordsOf(request: Pick<FastifyRequest, 'query' | 'headers'>): AdminWords {
  return words[languageOf(request)];
}
