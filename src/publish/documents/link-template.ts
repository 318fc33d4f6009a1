import type { Link } from '../../core/resource.ts';
import { hasSecret } from '../../core/secrets.ts';
import { isAbsolute, toUri } from '../../core/uris.ts';
import {
  encodedIdentifierOf,
  fromForm,
  itemOf,
  type LinkForm,
  localOf,
  markOf,
} from '../../store/rows/link-form.ts';
import { renderLink, renderStoredLinks } from './link-writer.ts';
import { escapeUri, escapeXml, mustEscapeUri } from './xml-text.ts';

/**
 * The links of a resource straight from the form that it shares with others. A form is looked at once, and becomes text
 * in which only what is a resource's own has to be filled in: a list has millions of entries, and few forms.
 */
export function renderFormedLinks(baseUrl: string, links: LinkForm, path: string, loc: string): string {
  const template = templateOf(baseUrl, links.form);
  const text = template && fillIn(template, links.rest, { baseUrl, path, loc });
  return text ?? renderStoredLinks(baseUrl, fromForm(links.form, links.rest, path), loc);
}

/** One link. What is in it of the resource depends on where that comes. */
type Piece =
  | { readonly kind: 'same'; readonly link: Link; readonly uri: string; readonly text: string }
  | (Around & { readonly kind: 'below'; readonly behind: string })
  | (Around & { readonly kind: 'ending'; readonly before: string; readonly own: 2 | 3 })
  | (Around & { readonly kind: 'other'; readonly link: Link });

interface Around {
  readonly isVia: boolean;
  readonly start: string;
  readonly end: string;
}

interface Place {
  readonly baseUrl: string;
  readonly path: string;
  readonly loc: string;
}

/** @returns undefined where it has to be done link by link */
function fillIn(pieces: readonly Piece[], rest: string, { baseUrl, path, loc }: Place): string | undefined {
  const item = itemOf(path);
  // A path that has to be escaped is none of ours; and where there is no item, nothing is below it.
  const hasItem = item !== '' && !isAbsolute(item) && !mustEscapeUri(item);
  let text = '';
  let lineStart = 0;
  for (const piece of pieces) {
    if (piece.kind === 'same') {
      // It is asked each time: what is secret may become known later.
      if (piece.link.rel === 'via' && hasSecret(piece.link.href)) return undefined;
      if (piece.uri !== loc) text += piece.text;
    } else if (piece.kind === 'ending') {
      const value = piece.own === 2 ? encodedIdentifierOf(path) : localOf(path);
      if (value === '' || (piece.isVia && hasSecret(piece.before + value))) return undefined;
      text += piece.start + value + piece.end;
    } else {
      let behind = piece.kind === 'below' ? piece.behind : '';
      if (piece.kind === 'other') {
        const lineEnd = rest.indexOf('\n', lineStart);
        const line = lineEnd < 0 ? rest.slice(lineStart) : rest.slice(lineStart, lineEnd);
        lineStart = lineEnd < 0 ? rest.length : lineEnd + 1;
        if (markOf(line) !== 1) {
          if (piece.isVia && hasSecret(line)) return undefined;
          text += renderLink(baseUrl, { ...piece.link, href: line }, loc);
          continue;
        }
        behind = line.slice(1);
      }
      if (!hasItem || (piece.isVia && hasSecret(item + behind))) return undefined;
      if (!isOwnPath(path, item, behind)) text += piece.start + item + escapeUri(behind) + piece.end;
    }
  }
  return text;
}

/** A link that would lead back to the resource is not written (RS-LN-02). */
function isOwnPath(path: string, item: string, behind: string): boolean {
  return path.length === item.length + behind.length && path.endsWith(behind);
}

const keptTemplates = 5_000;
let templates = new Map<string, readonly Piece[] | undefined>();
let templatesOf: string | undefined;

function templateOf(baseUrl: string, form: string): readonly Piece[] | undefined {
  if (templatesOf !== baseUrl || templates.size >= keptTemplates) templates = new Map();
  templatesOf = baseUrl;
  const known = templates.get(form);
  if (known || templates.has(form)) return known;
  const pieces = readForm(baseUrl, form);
  templates.set(form, pieces);
  return pieces;
}

/** @returns undefined where one of its links is of another kind */
function readForm(baseUrl: string, form: string): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  for (const link of JSON.parse(form) as readonly Link[]) {
    const { rel, href, type, ...more } = link;
    const piece = Object.keys(more).length === 0 ? readLink(baseUrl, link) : undefined;
    if (!piece) return undefined;
    pieces.push(piece);
  }
  return pieces;
}

function readLink(baseUrl: string, link: Link): Piece | undefined {
  const { rel, href, type } = link;
  const isVia = rel === 'via';
  const mark = markOf(href);
  const plain = mark === undefined ? href : mark === 1 ? href.slice(1) : href.slice(0, -1);
  // Marks stand alone, and where `toForm` sets them.
  if ([...plain].some((character) => markOf(character) !== undefined)) return undefined;
  const uri = toUri(baseUrl, plain);
  const text = (written: string) => `<rs:ln rel="${escapeXml(rel)}" href="${written}`;
  const end = type === undefined ? '"/>' : `" type="${escapeXml(type)}"/>`;
  if (mark === undefined) return { kind: 'same', link, uri, text: text(escapeUri(uri)) + end };
  const below = { isVia, start: text(escapeUri(`${baseUrl}/`)), end };
  if (mark === 1) return { kind: 'below', ...below, behind: plain };
  if (mark === 4) return plain === '' ? { kind: 'other', ...below, link } : undefined;
  // What leads to other servers is never the resource itself, whatever it ends with.
  if (!isAbsolute(plain) || isSameSite(plain, baseUrl)) return undefined;
  return { kind: 'ending', isVia, before: plain, own: mark, start: text(escapeUri(plain)), end };
}

/** Whether something that begins so could be below `baseUrl`. */
function isSameSite(start: string, baseUrl: string): boolean {
  return start.startsWith(baseUrl) || baseUrl.startsWith(start);
}
