import { isUtf8 } from 'node:buffer';
import { oaiNamespace, xsiNamespace } from '../../oai/protocol.ts';
import type { CheckId } from '../checks/check-table.ts';
import { faultOfOrder } from './element-order.ts';
import { hasCode, type OaiAnswer, type RawAnswer } from './oai-answer.ts';
import { isSecond } from './oai-dates.ts';
import { attributeOf, childrenOf, textOf } from './xml-element.ts';

export type Judge = (check: CheckId, fault: string | undefined) => void;

const schema = `${oaiNamespace}OAI-PMH.xsd`;

const codes = new Set([
  'badArgument',
  'badResumptionToken',
  'badVerb',
  'cannotDisseminateFormat',
  'idDoesNotExist',
  'noRecordsMatch',
  'noMetadataFormats',
  'noSetHierarchy',
]);

/** What HTTP says of a response, whatever is in it. */
export function judgeHttp({ asked, status, url, headers }: RawAnswer, judge: Judge): void {
  judge('http-status', status === 200 ? undefined : `the status is ${status}`);
  const answered = url.split('?')[0] ?? '';
  judge('http-redirect', asked === answered ? undefined : `it redirects to ${answered}`);
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  const essence = type.trim().toLowerCase();
  judge(
    'http-content-type',
    essence === 'text/xml' ? undefined : `the Content-Type is ${essence || 'missing'}`,
  );
  const charset = /charset\s*=\s*"?([^"\s;]+)/i.exec(parameters.join(';'))?.[1];
  judge(
    'http-charset',
    charset === undefined || /^utf-?8$/i.test(charset)
      ? undefined
      : `the charset of the Content-Type is ${charset}`,
  );
}

/** What every answer in the protocol has in common. @param baseUrl as `Identify` states it; undefined: not yet known */
export function judgeForm(answer: OaiAnswer, baseUrl: string | undefined, judge: Judge): void {
  const { root, xml, errors } = answer;
  judge('xml-well-formed', undefined);
  judge('xml-utf8', faultOfEncoding(answer));
  judge('xml-declaration', faultOfDeclaration(answer));
  judge('xml-doctype', xml.hasDoctype ? 'it has a document type declaration' : undefined);
  judge(
    'xml-namespace',
    root.namespace === oaiNamespace
      ? undefined
      : `the namespace of ${root.name} is ${root.namespace || 'missing'}`,
  );
  judge('xml-prefix', root.name === root.local ? undefined : `the root is written ${root.name}`);
  const locations = (attributeOf(root, 'schemaLocation', xsiNamespace) ?? '').trim().split(/\s+/);
  judge(
    'xml-schema-location',
    locations[0] === oaiNamespace && locations[1] === schema
      ? undefined
      : `xsi:schemaLocation is ${locations[0] === '' ? 'missing' : locations.slice(0, 2).join(' ')}`,
  );
  judge('xml-structure', faultOfOrder(root));
  const date = childrenOf(root, 'responseDate')[0]?.text;
  judge('response-date', date !== undefined && isSecond(date) ? undefined : `responseDate is ${shown(date)}`);
  judgeRequest(answer, baseUrl, judge);
  for (const { code, text: sentence } of errors) {
    judge('error-code', codes.has(code) ? undefined : `the code of the error is ${shown(code)}`);
    judge('error-text', sentence === '' ? `the error ${code} has no text` : undefined);
  }
}

function judgeRequest(answer: OaiAnswer, baseUrl: string | undefined, judge: Judge): void {
  const [request] = childrenOf(answer.root, 'request');
  if (!request) return;
  if (baseUrl !== undefined) {
    const stated = textOf(answer.root, 'request');
    judge('request-url', stated === baseUrl ? undefined : `request holds ${shown(stated)}`);
  }
  const stated = new Map(
    request.attributes
      .filter(({ name }) => !name.startsWith('xmlns'))
      .map(({ name, value }) => [name, value]),
  );
  if (hasCode(answer, 'badVerb', 'badArgument')) {
    const names = [...stated.keys()].join(', ');
    judge(
      'request-attributes',
      names === '' ? undefined : `request has ${names}, although the request is refused`,
    );
    return;
  }
  // After other errors they may be there.
  const mayLack = answer.errors.length > 0;
  const wrong = [...answer.arguments].find(
    ([name, value]) => stated.get(name) !== value && !(mayLack && !stated.has(name)),
  );
  const strange = [...stated.keys()].find((name) => !answer.arguments.has(name));
  judge(
    'request-attributes',
    wrong
      ? `the attribute ${wrong[0]} of request is ${shown(stated.get(wrong[0]))}`
      : strange && `request has the attribute ${strange}, which was not given`,
  );
}

function faultOfEncoding({ bytes, xml }: OaiAnswer): string | undefined {
  const { encoding } = xml.declaration ?? {};
  if (encoding !== undefined && !/^utf-8$/i.test(encoding)) return `the encoding is ${encoding}`;
  return isUtf8(bytes) ? undefined : 'some of its bytes are no UTF-8';
}

function faultOfDeclaration({ text, xml }: OaiAnswer): string | undefined {
  if (/^\uFEFF?<\?xml\s/.test(text)) {
    const version = xml.declaration?.version;
    return version === '1.0' ? undefined : `it is XML ${version}`;
  }
  return /^\s+<\?xml\s/.test(text)
    ? 'there are blanks in front of its XML declaration'
    : 'it has no XML declaration';
}

/** What comes from elsewhere, cut to a length that can be read. */
export function shown(text: string | undefined): string {
  if (text === undefined || text === '') return 'missing';
  return `“${text.length > 80 ? `${text.slice(0, 80)}…` : text}”`;
}
