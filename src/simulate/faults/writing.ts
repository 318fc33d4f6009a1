import { addSeconds } from '../../core/datetime.ts';
import type { Attributes, Draft } from '../documents/draft.ts';
import type { Fault } from './fault.ts';

const kind = 'writing';
const same = { kind, outcome: 'same', share: 1 } as const;
const later = { kind, outcome: 'later', share: 1 } as const;

/** How documents are written, whatever they say. */
export const writingFaults: readonly Fault[] = [
  {
    ...{ name: 'other-prefixes', ...same },
    what: 'namespaces have other prefixes than usual',
    expects: 'goes by namespaces',
    text: (text) =>
      text
        .replaceAll('<rs:', '<resync:')
        .replace('xmlns:rs=', 'xmlns:resync=')
        .replaceAll(/<(\/?)(urlset|sitemapindex|url|sitemap|loc|lastmod)\b/g, '<$1sm:$2')
        .replace('xmlns=', 'xmlns:sm='),
  },
  {
    ...{ name: 'byte-order-mark', ...same },
    what: 'documents begin with a byte order mark',
    expects: 'reads them',
    text: (text) => `\ufeff${text}`,
  },
  {
    ...{ name: 'one-line', ...same },
    what: 'documents have no line breaks, and attributes in single quotes',
    expects: 'reads them',
    text: (text) => text.replaceAll('\n', '').replaceAll(/ (\w+)="([^"']*)"/g, " $1='$2'"),
  },
  {
    ...{ name: 'comments', ...same },
    what: 'documents have comments, processing instructions and elements of other namespaces',
    expects: 'leaves them alone',
    text: (text) =>
      text
        .replace('?>\n', '?>\n<?xml-stylesheet href="/style.xsl" type="text/xsl"?>\n<!-- made by hand -->\n')
        .replaceAll('</url>', '<x:note xmlns:x="http://example.org/x">&#x5317;</x:note></url>'),
  },
  {
    ...{ name: 'sitemap-extensions', ...same },
    what: 'entries have elements of the image, video and news extensions, changefreq and priority',
    expects: 'leaves them alone',
    text: (text) =>
      text
        .replaceAll('</url>', `<changefreq>daily</changefreq><priority>0.5</priority>${extension}</url>`)
        .replace('xmlns:rs', 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:rs'),
  },
  {
    ...{ name: 'odd-dates', ...same },
    what: 'times have offsets, fractions of many digits and small letters',
    expects: 'takes them for the moments that they are',
    draft: (draft) => withTimes(draft, oddTime),
  },
  {
    ...{ name: 'no-zone', ...same },
    what: 'times have no zone',
    expects: 'takes them as UTC',
    draft: (draft) => withTimes(draft, (time) => time.replace(/Z$/, '')),
  },
  {
    ...{ name: 'local-time', ...same },
    what: 'times are those of Tokyo and say that they are UTC, nine hours in the future',
    expects: 'applies changes, and does not wait for the future to pass before it takes the next ones',
    draft: (draft) => withTimes(draft, (time) => shifted(time, 9)),
  },
  {
    ...{ name: 'unescaped-ampersand', ...same },
    what: 'an ampersand stands as it is in an entry: the document is not well-formed',
    expects: 'reads it as it is meant, or at least deletes nothing because of it; says where',
    text: (text) => text.replace('<url><loc>', '<url><t>R&D</t><loc>'),
  },
  {
    ...{ name: 'wrong-namespace', ...later },
    what: 'the namespace of ResourceSync lacks its slash, so that nobody says anything of lists and entries',
    expects: 'reads them as far as they can be understood, and says so',
    text: (text) => text.replaceAll('openarchives.org/rs/terms/"', 'openarchives.org/rs/terms"'),
  },
  {
    ...{ name: 'doctype', ...later },
    what: 'documents have a DOCTYPE with entities that grow',
    expects: 'refuses them, without expanding anything',
    text: (text) => text.replace('?>\n', `?>\n${growing}\n`).replace('<loc>', '<loc>&c;'),
  },
  {
    ...{ name: 'latin-1', ...later },
    what: 'documents are in ISO 8859-1 and have an umlaut',
    expects: 'refuses them, or reads what is meant; deletes nothing because of it',
    text: (text) =>
      Buffer.from(text.replace('UTF-8', 'ISO-8859-1').replace('<url>', '<url><!-- \u00fc -->'), 'latin1'),
  },
  {
    ...{ name: 'cut-documents', ...later, share: 0.5 },
    what: 'documents of resources end in the middle, with a status of 200 and a length that fits',
    expects: 'takes nothing for absent; tries again',
    text: (text, { root, capability, path }, { strikes }) =>
      root === 'urlset' && /list$/.test(capability) && strikes(path, text.length)
        ? text.slice(0, Math.floor(text.length * 0.6))
        : text,
  },
  {
    ...{ name: 'empty-documents', ...later, share: 0.5 },
    what: 'documents have no octet at all, with a status of 200',
    expects: 'takes nothing for absent; tries again',
    text: (text, { path }, { strikes }) => (strikes(path, text.length) ? '' : text),
  },
];

const extension = '<image:image><image:loc>http://images.example.org/1.png</image:loc></image:image>';
const growing =
  '<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>';

const timeNames = ['at', 'completed', 'from', 'until', 'datetime', 'modified'];

function withTimes(draft: Draft, write: (time: string) => string): Draft {
  const inside = (md: Attributes): Attributes =>
    Object.fromEntries(
      Object.entries(md).map(([name, value]) => [
        name,
        value !== undefined && timeNames.includes(name) ? write(value) : value,
      ]),
    );
  return {
    ...draft,
    md: inside(draft.md),
    entries: draft.entries.map((entry) => ({
      ...entry,
      md: inside(entry.md),
      lastmod: entry.lastmod === undefined ? undefined : write(entry.lastmod),
    })),
  };
}

/** The same moment in one of several forms. */
function oddTime(time: string): string {
  const second = Number(time.slice(17, 19));
  if (second % 4 === 0) return time.replace('Z', '.123456789Z');
  if (second % 4 === 1) return shifted(time, 9).replace('Z', '+09:00');
  if (second % 4 === 2) return shifted(time, -5).replace('Z', '.5-05:00');
  return time.toLowerCase();
}

function shifted(time: string, hours: number): string {
  return addSeconds(time, hours * 3_600);
}
