import { fileUrl, linksetUrl, pageUrl, recordUrl } from '../records/addresses.ts';
import { repositoryName } from '../records/records.ts';
import type { SampleRecord } from '../records/sample-record.ts';
import { mediaTypes } from '../records/sample-record.ts';
import { type Reply, sentence } from './reply.ts';
import { element, escapeXml } from './xml.ts';

interface Target {
  readonly href: string;
  readonly type?: string;
}

type Links = readonly (readonly [relation: string, target: Target])[];

/** Beyond this, the links would make too long a header field: then the link set alone has them. */
const maximumInField = 10;

/** The landing page, with the links of FAIR Signposting for everybody else. */
export function replyWithPage(record: SampleRecord, baseUrl: string): Reply {
  if (record.deleted) return withdrawn;
  const links = linksOf(record, baseUrl);
  const set: Links = [['linkset', { href: linksetUrl(record, baseUrl), type: 'application/linkset+json' }]];
  const short = record.files.length > maximumInField ? set : [...links, ...set];
  const head = short.map(
    ([relation, { href, type }]) =>
      `<link rel="${relation}" href="${escapeXml(href)}"${type === undefined ? '' : ` type="${type}"`}>`,
  );
  const files = record.files.map(
    (file) =>
      `<li>${element('a', file.name, ` href="${escapeXml(fileUrl(record, file, baseUrl))}"`)}${doors[file.access]}</li>`,
  );
  const link = short.map(
    ([relation, { href, type }]) => `<${href}>; rel="${relation}"${type ? `; type="${type}"` : ''}`,
  );
  const html = [
    `<!DOCTYPE html>\n<html lang="${record.language.code}"><head><meta charset="utf-8">`,
    element('title', `${record.title} — ${repositoryName}`),
    ...head,
    `</head><body dir="auto">${element('h1', record.title)}`,
    element('p', record.creators.map(({ name }) => name).join('; ')),
    element('p', record.description),
    `<ul>${files.join('')}</ul></body></html>\n`,
  ];
  const headers = { 'content-type': 'text/html; charset=utf-8', link: link.join(', ') };
  return { status: 200, headers, body: html.join('\n') };
}

const withdrawn = sentence(410, 'This work was withdrawn.');
const doors = { open: '', restricted: ' (members of the library)', embargoed: ' (not yet)' };

/** RFC 9264: the same links, each with what it is a link of. */
export function replyWithLinkset(record: SampleRecord, baseUrl: string): Reply {
  if (record.deleted) return withdrawn;
  const page = pageUrl(record, baseUrl);
  const context: Record<string, string | Target[]> = { anchor: page };
  for (const [relation, target] of linksOf(record, baseUrl)) {
    const targets = context[relation];
    if (Array.isArray(targets)) targets.push(target);
    else context[relation] = [target];
  }
  const backwards = record.files.map((file) => ({
    anchor: fileUrl(record, file, baseUrl),
    collection: [{ href: page, type: 'text/html' }],
  }));
  const body = `${JSON.stringify({ linkset: [context, ...backwards] })}\n`;
  return { status: 200, headers: { 'content-type': 'application/linkset+json' }, body };
}

function linksOf(record: SampleRecord, baseUrl: string): Links {
  return [
    ['cite-as', { href: pageUrl(record, baseUrl) }],
    ['type', { href: 'https://schema.org/AboutPage' }],
    ['describedby', { href: recordUrl(record, 'oai_dc', baseUrl), type: 'text/xml' }],
    ...record.files.map(
      (file) => ['item', { href: fileUrl(record, file, baseUrl), type: mediaTypes[file.kind] }] as const,
    ),
  ];
}
