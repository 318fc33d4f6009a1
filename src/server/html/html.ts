import { createHash } from 'node:crypto';
import type { ServerDeps } from '../deps.ts';
import { generalWords } from '../words/general.ts';
import { languageNames } from '../words/language.ts';
import type { Reader } from '../words/reader.ts';
import { stylesheet } from './stylesheet.ts';

/** Markup that may be put into a page as it is; made by the `html` tag alone. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Markup | string | number | false | undefined | readonly Value[];

/** Everything interpolated is escaped, unless it is markup itself; arrays are joined, undefined and false are nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + render(values[index - 1]) + string));
}

function render(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const styleHash = createHash('sha256').update(stylesheet).digest('base64');
const policyWith = (formAction: "'none'" | "'self'") =>
  [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ');

export type PageDeps = Pick<ServerDeps, 'baseUrl' | 'title' | 'version' | 'search'>;

export interface Page {
  readonly title: string;
  /** BCP 47, where it is another one than the page's. */
  readonly titleLanguage?: string | undefined;
  /** More of what programs read. */
  readonly head?: Markup | undefined;
  /** It has a form, which is sent to where the page is from. */
  readonly hasForm?: boolean | undefined;
  readonly body: Markup;
  /** URIs of the Capability Lists that the page leads to (RS-DISC-03). */
  readonly capabilityLists?: readonly string[] | undefined;
}

const policies = { closed: policyWith("'none'"), withForm: policyWith("'self'") } as const;

export function pageHeaders({ hasForm }: Pick<Page, 'hasForm'>) {
  return {
    'content-security-policy': hasForm ? policies.withForm : policies.closed,
    'content-type': 'text/html; charset=utf-8',
  } as const;
}

/** The shell of every page: one stylesheet, no script, nothing from elsewhere. */
export function renderPage(
  deps: PageDeps,
  { title, titleLanguage, head, body, capabilityLists = [] }: Page,
  reader: Reader,
): string {
  const { baseUrl, version } = deps;
  const words = generalWords[reader.language];
  const page = html`<!doctype html>
<html lang="${reader.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title${titleLanguage !== undefined && html` lang="${titleLanguage}"`}>${title === deps.title ? title : `${title} — ${deps.title}`}</title><link rel="icon" href="data:,">${capabilityLists.map((uri) => html`<link rel="resourcesync" href="${uri}">`)}${head}
<style>${new Markup(stylesheet)}</style></head><body>
<header><a class="name" href="${baseUrl}/">${deps.title}</a><span class="grow"></span><nav>${deps.search && html`<a href="${baseUrl}/search">${words.search}</a> `}<a href="${baseUrl}/about">${words.about}</a>${otherLanguages(reader)}</nav></header>
<main>
${body}
</main>
<footer class="soft">ResourceSync (ANSI/NISO Z39.99) by resourcesync-bridge ${version}</footer>
</body></html>
`;
  return page.text;
}

/** The way to the same page in another language, named as those who read it name it. */
function otherLanguages({ others }: Reader): Markup {
  return html`${others.map(
    ({ language, href }) =>
      html` <a rel="alternate" hreflang="${language}" lang="${language}" href="${href}">${languageNames[language]}</a>`,
  )}`;
}

/** Only what is an address of the web becomes a link: the upstream wrote it. */
export function linkTo(uri: string, text = uri): Markup {
  return /^https?:\/\//i.test(uri)
    ? html`<a class="mono" href="${uri}">${text}</a>`
    : html`<span class="mono">${uri}</span>`;
}

/** "3 minutes ago", and the exact time beside it. */
export function timeAndAge(
  reader: Reader,
  iso: string | undefined,
  now: string,
  absent = generalWords[reader.language].never,
): Markup {
  if (iso === undefined) return html`<span class="soft">${absent}</span>`;
  return html`<time datetime="${iso}">${reader.age(iso, now)}</time> <span class="soft">${reader.time(iso)}</span>`;
}

/** To the second, as `Memento-Datetime` is, and how long ago that is. */
export function exactTimeAndAge(reader: Reader, iso: string, now: string): Markup {
  return html`${exactTime(reader, iso)} <span class="soft">${reader.age(iso, now)}</span>`;
}

export function exactTime(reader: Reader, iso: string): Markup {
  return html`<time datetime="${iso}">${reader.exactTime(iso)}</time>`;
}
