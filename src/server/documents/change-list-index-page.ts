import { buffer } from 'node:stream/consumers';
import type { FastifyRequest } from 'fastify';
import type { PublishedDocument } from '../../publish/published/publication.ts';
import type { ServerDeps } from '../deps.ts';
import { exactTimeAndAge, html, type Page } from '../html/html.ts';
import { asksForHtml } from '../http/negotiation.ts';
import type { Reader } from '../words/reader.ts';

/** Of so many bytes at the end of an index the lists are shown: the latest few hundred. */
const tail = 65_536;

export function isChangeListIndex({ path }: Pick<PublishedDocument, 'path'>): boolean {
  return path.endsWith('/changelist-index.xml');
}

/** The address with `?format=xml` is the document's, whoever asks. */
export function asksForPage({ headers, url }: FastifyRequest): boolean {
  return asksForHtml(headers.accept) && !/[?&]format=xml(?:&|$)/.test(url);
}

/** For a reader an index of addresses is of use when they can be followed, and the latest come first. */
export async function changeListIndexPage(
  { baseUrl }: Pick<ServerDeps, 'baseUrl'>,
  { path, plain }: PublishedDocument,
  now: string,
): Promise<(reader: Reader) => Page> {
  const set = path.slice(0, path.lastIndexOf('/'));
  const read = async (start: number, end: number) => String(await buffer(plain.open(start, end)));
  const head = await read(0, Math.min(plain.length, 1024));
  const from = /<rs:md [^>]*from="([^"]*)"/.exec(head)?.[1];
  const isWhole = plain.length <= tail;
  const text = await read(isWhole ? 0 : plain.length - tail, plain.length);
  const lists = [...text.matchAll(/<sitemap>.*?<\/sitemap>/gs)]
    .map(([member]) => readMember(member))
    .reverse();
  const toBody = (reader: Reader) => html`<h1>Change List Index</h1>
<p>What changed in <a href="${baseUrl}/${set}/about">${set}</a>, in Change Lists${from !== undefined && html` since ${exactTimeAndAge(reader, from, now)}`}. A list that is closed stays as it is; what happens now is in the open one. Programs that want one address alone read <a href="${baseUrl}/${set}/changelist.xml">changelist.xml</a>, the latest change of everything.</p>
<table><tr><th>Change List</th><th>From</th><th>Until</th></tr>
${lists.map(
  (
    list,
  ) => html`<tr><td><a class="mono" href="${list.loc}">${list.loc.slice(list.loc.lastIndexOf('/') + 1)}</a></td><td>${list.from}</td><td>${list.until ?? 'open'}</td></tr>
`,
)}</table>${!isWhole && html`<p class="soft">The earlier ones are in the document.</p>`}
<p>The document itself, for programs: <a class="mono" href="${baseUrl}/${path}?format=xml">${path}</a></p>`;
  return (reader) => ({
    title: `Change List Index of ${set}`,
    body: toBody(reader),
    capabilityLists: [`${baseUrl}/${set}/capabilitylist.xml`],
  });
}

/** Of our own writing: nothing else stands in it. */
function readMember(member: string): { loc: string; from: string; until: string | undefined } {
  const loc = /<loc>([^<]*)<\/loc>/.exec(member)?.[1] ?? '';
  const from = /\bfrom="([^"]*)"/.exec(member)?.[1] ?? '';
  return { loc: loc.replaceAll('&amp;', '&'), from, until: /\buntil="([^"]*)"/.exec(member)?.[1] };
}
