import { TextDecoder } from 'node:util';
import type { Http, HttpResponse, SourceFile } from '../../core/adapter.ts';
import { isSameSite } from '../../core/addresses/site.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { createHeadReader } from '../../core/signposting/head-links.ts';
import { linksOfPage, readSignposts } from '../../core/signposting/landing-page-links.ts';
import { parseLinkField } from '../../core/signposting/link-field.ts';
import { parseLinkset } from '../../core/signposting/linkset.ts';
import { type PageNames, pageNames } from '../../core/signposting/page-names.ts';
import { mediaType, type TypedLink } from '../../core/signposting/typed-link.ts';

/** What came of a landing page: the files it leads to, or why it could not be read. */
export type PageReading =
  | { readonly files: readonly SourceFile[] }
  | {
      readonly files: undefined;
      readonly reason: string;
      /** Its host asked for patience. */
      readonly isBusy?: boolean;
    };

/** Of a page only so much is read, unpacked: heads are short. */
const maximumHead = 512 * 1024;
/** Read, its links take twenty times as much; what is known of the files stays where it is larger. */
const maximumLinkset = 2 * 1024 * 1024;
const maximumLinksets = 2;
/** Header fields have limits: from so many items on they may have left some to the link set. */
const mayBeAllBelow = 5;
const deadline = 30_000;

/**
 * Looks for links to files, at the least cost: HEAD, the page only where its header has neither files nor a link
 * set, and then not beyond its head; at most two link sets, of the same site.
 * @param http for URLs found in records
 * @throws only what the signal was aborted with
 */
export async function readPage(http: Http, url: string, signal: AbortSignal): Promise<PageReading> {
  try {
    const head = await http.head(url, { signal, patient: false, deadline });
    await head.discard();
    if (isGone(head)) return { files: [] };
    if (isRefusal(head) || isLogin(head, url)) return failure(head);
    const links = isGood(head) ? linksOfHeader(head) : [];
    const names = pageNames([url, head.url]);
    const { files, linksets } = readSignposts(links, names);
    if (files.length > 0 || linksets.length > 0) return await complete(http, head.url, links, names, signal);
    // Many servers answer HEAD with an error, or without a type.
    return isGood(head) && !mayBeHtml(head) ? { files: [] } : await readHtml(http, url, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isBridgeError(error)) throw error;
    return { files: undefined, reason: describeError(error) };
  }
}

async function readHtml(http: Http, url: string, signal: AbortSignal): Promise<PageReading> {
  const accept = 'text/html, application/xhtml+xml;q=0.9, */*;q=0.1';
  const page = await http.get(url, { signal, patient: false, deadline, headers: { accept } });
  try {
    if (isGone(page)) return { files: [] };
    if (!isGood(page) || isLogin(page, url)) return failure(page);
    const inHead = mayBeHtml(page) ? await linksOfHead(page) : [];
    const links = [...linksOfHeader(page), ...inHead];
    return await complete(http, page.url, links, pageNames([url, page.url]), signal);
  } finally {
    await page.discard();
  }
}

/** What the links say, and the link sets they lead to where they may not say all. */
async function complete(
  http: Http,
  url: string,
  links: readonly TypedLink[],
  names: PageNames,
  signal: AbortSignal,
): Promise<PageReading> {
  const { files, linksets, citeAs } = readSignposts(links, names);
  const near = linksets.filter((linkset) => isSameSite(new URL(linkset).hostname, new URL(url).hostname));
  if (near.length === 0 || (files.length > 0 && files.length < mayBeAllBelow)) return { files };
  let reason = '';
  for (const linkset of near.slice(0, maximumLinksets)) {
    const set = await readLinkset(http, linkset, signal);
    if (typeof set === 'string') {
      reason = set;
      continue;
    }
    const own = linksOfPage(set, pageNames([...names, ...citeAs]));
    const { files: all } = readSignposts([...own, ...links], names);
    return { files: all };
  }
  return files.length > 0 ? { files } : { files: undefined, reason };
}

/** @returns its links, or why there are none */
async function readLinkset(
  http: Http,
  url: string,
  signal: AbortSignal,
): Promise<readonly TypedLink[] | string> {
  try {
    const accept = 'application/linkset+json, application/linkset;q=0.9, */*;q=0.1';
    const options = { signal, patient: false, deadline, maxBytes: maximumLinkset, headers: { accept } };
    const response = await http.get(url, options);
    const type = mediaType(response.headers['content-type']);
    if (response.status !== 200 || type === 'text/html') {
      await response.discard();
      return `${url} is no set of links (status ${response.status})`;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return parseLinkset(Buffer.concat(chunks).toString('utf8'), type, response.url);
  } catch (error) {
    signal.throwIfAborted();
    if (!isBridgeError(error)) throw error;
    return describeError(error);
  }
}

function linksOfHeader(response: HttpResponse): readonly TypedLink[] {
  return parseLinkField(response.headers.link ?? '', response.url);
}

/** Reads no further than the head goes, or may go. */
async function linksOfHead(page: HttpResponse): Promise<readonly TypedLink[]> {
  const reader = createHeadReader(page.url);
  const decoder = decoderOf(page.headers['content-type'] ?? '');
  let read = 0;
  for await (const chunk of page.body) {
    const within = chunk.subarray(0, maximumHead - read);
    read += within.byteLength;
    if (!reader.write(decoder.decode(within, { stream: true })) || read >= maximumHead) break;
  }
  return reader.links();
}

function decoderOf(contentType: string): TextDecoder {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function mayBeHtml({ headers }: HttpResponse): boolean {
  const type = mediaType(headers['content-type']);
  return type === undefined || type === 'text/html' || type === 'application/xhtml+xml';
}

function isGood({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

function isGone({ status }: HttpResponse): boolean {
  return status === 404 || status === 410;
}

/** Asking in another way would be impolite, or of no use. */
function isRefusal({ status }: HttpResponse): boolean {
  return [401, 407, 429, 451, 502, 503, 504].includes(status);
}

const login = /[/._-](?:log-?in|sign-?in|shibboleth|sso|cas|saml2?|idp|auth)(?:[/._-]|$)/i;

/** The page of a door says nothing of what is behind it. */
function isLogin({ url }: HttpResponse, asked: string): boolean {
  return url !== asked && login.test(new URL(url).pathname) && !login.test(new URL(asked).pathname);
}

function failure({ status, url }: HttpResponse): PageReading {
  const { host } = new URL(url);
  const reason = status < 300 ? `${host} asks for a login` : `${host} answered with status ${status}`;
  return { files: undefined, reason, isBusy: status === 429 || status === 503 };
}
