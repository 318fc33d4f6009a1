import { findFormat } from './formats.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import { element, placeOfNamespaces } from './record-xml.ts';

/** What an answer of the protocol consists of before anything happens to it. */
export interface AnswerParts {
  /** Undefined: it is an error. */
  readonly verb: string | undefined;
  readonly content: string;
  readonly errors: readonly { readonly code: string; readonly message: string }[];
  readonly baseUrl: string;
  readonly now: string;
  /** Of the list, from 0, and its format. */
  readonly page: number;
  readonly metadataPrefix: string | undefined;
}

const oai = 'http://www.openarchives.org/OAI/2.0/';

/** The whole document, as text. */
export function writeDocument(parts: AnswerParts, wrong: Misbehaviour): string {
  const { verb, content, metadataPrefix } = parts;
  const place = placeOfNamespaces(parts.page, wrong);
  const declarations =
    metadataPrefix === undefined ? '' : ` ${findFormat(metadataPrefix)?.declarations ?? ''}`;
  const name = wrong.lowerCaseVerbs === true ? verb?.toLowerCase() : verb;
  const beside = wrong.errors === 'beside records' && verb?.startsWith('List') === true;
  const body = [
    ...head(parts, wrong),
    ...parts.errors.map((error) => writeError(error, wrong)),
    ...(parts.errors.length > 0 && wrong.errors === 'two'
      ? [writeError({ code: 'badArgument', message: 'This is the second error.' }, wrong)]
      : []),
    ...(beside ? [writeError({ code: 'warning', message: 'Something is odd.' }, wrong)] : []),
    ...(name === undefined ? [] : [element(name, content, wrong, place === 'list' ? declarations : '')]),
  ].join('\n');
  const root = element(
    'OAI-PMH',
    `\n${body}\n`,
    wrong,
    rootNamespaces(wrong) + (place === 'root' ? declarations : ''),
  );
  const second = wrong.secondRoot === true ? '<OAI-PMH><error code="badVerb">again</error></OAI-PMH>' : '';
  return `${prolog(wrong)}${root}\n${second}${wrong.noticesBehind === true ? notices : ''}`;
}

const notices = '<br />\n<b>Notice</b>:  Undefined index: set & <b>more in /var/www/oai.php on line 17<br>';

/** `xmlns=…` of payloads declared on the root comes second: the protocol's own would be repeated. */
function rootNamespaces({ protocolElements }: Misbehaviour): string {
  if (protocolElements === 'no namespace') return '';
  const name = protocolElements === 'oai:' ? 'xmlns:oai' : 'xmlns';
  return ` ${name}="${oai}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${oai} ${oai}OAI-PMH.xsd"`;
}

function head({ now, baseUrl }: AnswerParts, wrong: Misbehaviour): string[] {
  const date = element('responseDate', now, wrong);
  const request = element('request', baseUrl, wrong);
  switch (wrong.requestElement) {
    case 'missing':
      return [date];
    case 'first':
      return [request, date];
    case 'on several lines':
      return [`\n\n  ${date.replace(now, `\n ${now}\n`)}`, request.replace(baseUrl, `\n  ${baseUrl}\n`)];
    default:
      return [date, request];
  }
}

function writeError({ code, message }: { code: string; message: string }, wrong: Misbehaviour): string {
  return element('error', message.replaceAll('&', '&amp;').replaceAll('<', '&lt;'), wrong, ` code="${code}"`);
}

function prolog({ prolog: kind, doctype, encoding }: Misbehaviour): string {
  const declared = encoding === 'ISO-8859-1 declared' ? 'ISO-8859-1' : 'UTF-8';
  const declaration = `<?xml version="1.0" encoding="${declared}"?>\n`;
  const start = {
    'byte order mark': `\uFEFF${declaration}`,
    'blank lines': `\n\n  ${declaration}`,
    'no declaration': '',
    stylesheet: `${declaration}<?xml-stylesheet type="text/xsl" href="/oai2.xsl"?>\n<!-- <OAI-PMH> -->\n`,
  };
  return (kind === undefined ? declaration : start[kind]) + doctypeText(doctype);
}

function doctypeText(kind: Misbehaviour['doctype']): string {
  switch (kind) {
    case 'small':
      return '<!DOCTYPE OAI-PMH>\n';
    case 'bomb':
      return '<!DOCTYPE OAI-PMH [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n';
    case 'external':
      return '<!DOCTYPE OAI-PMH [<!ENTITY file SYSTEM "file:///etc/passwd">]>\n';
    case 'large':
      return `<!DOCTYPE OAI-PMH [${'<!ENTITY a "aaaaaaaaaa">'.repeat(4000)}]>\n`;
    default:
      return '';
  }
}
