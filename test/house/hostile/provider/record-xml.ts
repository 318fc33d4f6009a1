import { addSeconds } from '../../../../src/core/datetime.ts';
import type { HostileRecord } from '../repository.ts';
import { escapeText, findFormat } from './formats.ts';
import type { Damage, Misbehaviour } from './misbehaviour.ts';
import { headerDate } from './selection.ts';

export interface RecordContext {
  readonly metadataPrefix: string;
  /** Of the list, from 0. */
  readonly page: number;
  readonly now: string;
  readonly wrong: Misbehaviour;
  readonly fileUrl: (record: HostileRecord, index: number) => string;
}

/** The protocol's own element, with the prefix that its provider uses. */
export function element(name: string, content: string, wrong: Misbehaviour, attributes = ''): string {
  const prefix = wrong.protocolElements === 'oai:' ? 'oai:' : '';
  return `<${prefix}${name}${attributes}>${content}</${prefix}${name}>`;
}

/** Undefined: the payloads' namespaces are declared nowhere. */
export function placeOfNamespaces(page: number, wrong: Misbehaviour): string | undefined {
  if (wrong.namespacesOnFirstPageOnly === true) return page === 0 ? 'root' : undefined;
  return wrong.namespacesOn ?? 'payload';
}

export function writeHeader(record: HostileRecord, { now, wrong }: RecordContext): string {
  const deleted = record.deleted || record.withdrawn;
  const status = deleted ? ` status="${wrong.deletedWord ?? 'deleted'}"` : '';
  const blanks = wrong.blanksAroundIdentifiers === true ? '\n      ' : '';
  const specs =
    wrong.setSpecs === 'missing'
      ? []
      : wrong.setSpecs === 'twice'
        ? [...record.sets, ...record.sets]
        : record.sets;
  return element(
    'header',
    element('identifier', `${blanks}${escapeText(record.identifier)}${blanks}`, wrong) +
      element('datestamp', datestamp(headerDate(record, now, wrong), now, wrong), wrong) +
      specs.map((spec) => element('setSpec', escapeText(spec), wrong)).join(''),
    wrong,
    status,
  );
}

function datestamp(iso: string, now: string, { datestampForm, granularity }: Misbehaviour): string {
  const form = {
    fraction: iso.replace('Z', '.250Z'),
    'no zone': iso.replace('Z', ''),
    compact: iso.slice(0, 10).replaceAll('-', ''),
    future: addSeconds(now, 86_400 * 365),
    garbage: 'aaaa-bb-cc',
  };
  if (datestampForm !== undefined) return form[datestampForm];
  return granularity === 'day' ? iso.slice(0, 10) : iso;
}

export function writeRecord(record: HostileRecord, context: RecordContext): string {
  const { wrong, page } = context;
  const place = placeOfNamespaces(page, wrong);
  const declarations = ` ${findFormat(context.metadataPrefix)?.declarations ?? ''}`.trimEnd();
  const gone = (record.deleted || record.withdrawn) && wrong.tombstonesWithMetadata !== true;
  const omitted = gone || wrong.withoutMetadata?.includes(record.identifier) === true;
  const metadata = omitted
    ? ''
    : element(
        'metadata',
        besides(payload(record, context), wrong),
        wrong,
        place === 'metadata' ? declarations : '',
      );
  return element(
    'record',
    writeHeader(record, context) + metadata + abouts(wrong),
    wrong,
    place === 'record' ? declarations : '',
  );
}

function payload(record: HostileRecord, { metadataPrefix, wrong, page, fileUrl }: RecordContext): string {
  const format = findFormat(metadataPrefix);
  if (format === undefined) return '';
  const declarations =
    placeOfNamespaces(page, wrong) === 'payload' ? ` ${format.declarations}`.trimEnd() : '';
  const text = format.write(record, declarations, (index) => fileUrl(record, index));
  return isDamaged(record, wrong) ? damaged(text, wrong.damage) : text;
}

export function isDamaged({ number }: HostileRecord, { damage, damageEvery = 3 }: Misbehaviour): boolean {
  return damage !== undefined && number % damageEvery === 0;
}

/** Stands for the byte that is no UTF-8 until the document is written as bytes. */
export const latin1Mark = '\uE0E9';

function damaged(text: string, damage: Damage | undefined): string {
  switch (damage) {
    case 'control characters':
      return text.replace('日本', '日\u000b本');
    case 'references to control characters':
      return text.replace('日本', '日&#x1;本');
    case 'noncharacters':
      return text.replace('日本', '日\uFFFE本');
    case 'Latin-1 bytes':
      return text.replace('Köln', `K${latin1Mark}ln`);
    case 'XML declaration':
      return `<?xml version="1.0" encoding="UTF-8"?>\n${text}`;
    case 'HTML entities':
      return text.replaceAll('ö', '&ouml;');
    case 'bare ampersands':
      return text.replace('Köln &amp; ', 'Köln & ');
    default:
      return text.replace(/<\/([^<>]+)>$/, '</b></$1>');
  }
}

/** The text of a damaged payload as it should be understood. */
export function mended(text: string, damage: Damage | undefined): string {
  switch (damage) {
    case 'control characters':
    case 'references to control characters':
    case 'noncharacters':
      return text.replace('日本', '日\uFFFD本');
    case 'Latin-1 bytes':
      return text.replace('Köln', 'Kéln');
    default:
      return text;
  }
}

function besides(text: string, { besidePayload }: Misbehaviour): string {
  switch (besidePayload) {
    case 'comment':
      return `<!-- <metadata> & co -->\n${text}`;
    case 'text':
      return `metadata: ${text} !`;
    case 'CDATA':
      return `<![CDATA[</metadata>]]>${text}`;
    case 'second element':
      return `${text}<extra xmlns="http://example.org/extra"><title>not this</title></extra>`;
    default:
      return text;
  }
}

function abouts(wrong: Misbehaviour): string {
  const about =
    '<provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance"><originDescription harvestDate="2020-01-01T00:00:00Z" altered="true">' +
    '<baseURL>http://origin.example.org/oai</baseURL><identifier>oai:origin:1</identifier><datestamp>2019-01-01</datestamp>' +
    '<metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></originDescription></provenance>';
  return element('about', about, wrong).repeat(wrong.abouts ?? 0) + padding(wrong);
}

function padding(wrong: Misbehaviour): string {
  const { padding: bytes = 0 } = wrong;
  const paragraph = `<p>${'So much to say. '.repeat(256)}</p>`;
  const text = paragraph.repeat(Math.ceil(bytes / paragraph.length));
  return bytes === 0 ? '' : element('about', `<text xmlns="">${text}</text>`, wrong);
}
