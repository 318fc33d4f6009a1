import { doiUri, handleUri, readDoi, readHandle } from '../../descriptions/persistent-identifiers.ts';

/** An identifier with what it is one of; `URI` for any other web address. */
export interface TypedIdentifier {
  readonly type: 'DOI' | 'HDL' | 'ISBN' | 'ISSN' | 'arXiv' | 'PMID' | 'URI';
  readonly value: string;
}

/** What a text is an identifier of, if it is one as a whole; undefined: words. */
export function readIdentifier(stated: string): TypedIdentifier | undefined {
  const text = stated.trim();
  const doi = readDoi(text);
  if (doi !== undefined) return { type: 'DOI', value: doiUri(doi) };
  const handle = readHandle(text);
  if (handle !== undefined) return { type: 'HDL', value: handleUri(handle) };
  const isbn = /^(?:urn:)?isbn[:\s]/i.test(text) ? readIsbn(text) : undefined;
  if (isbn !== undefined) return { type: 'ISBN', value: isbn };
  const issn = /^(?:urn:)?issn[:\s]/i.test(text) ? readIssn(text) : undefined;
  if (issn !== undefined) return { type: 'ISSN', value: issn };
  const [, arxiv] = /^(?:arxiv:\s*|https?:\/\/arxiv\.org\/abs\/)(\d{4}\.\d{4,5}(?:v\d+)?)$/i.exec(text) ?? [];
  if (arxiv !== undefined) return { type: 'arXiv', value: arxiv };
  const [, pmid] = /^pmid:\s*(\d{1,8})$/i.exec(text) ?? [];
  if (pmid !== undefined) return { type: 'PMID', value: pmid };
  const uri = webAddress(text);
  return uri === undefined ? undefined : { type: 'URI', value: uri };
}

/** Of ASCII, as `xs:anyURI` takes it everywhere. */
export function webAddress(text: string): string | undefined {
  if (!/^https?:\/\/[^\s/?#]/i.test(text) || /\s/.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash, username, password } = new URL(text);
  if (username !== '' || password !== '') return undefined;
  const fragment = hash === '' ? '' : `#${escaped(hash.slice(1))}`;
  return `${origin}${escaped(`${pathname}${search}`)}${fragment}`;
}

function escaped(part: string): string {
  return part
    .replace(/%(?![\da-f]{2})/gi, '%25')
    .replace(/[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]/gu, (character) => encodeURIComponent(character));
}

/** `1234-567X`, whatever stands around its eight digits, if the check digit is right. */
export function readIssn(stated: string): string | undefined {
  const [, first, last] =
    /^(?:(?:urn:)?[ep]?-?issn[:\s]*)?(\d{4})[-‐–]?(\d{3}[\dXx])$/i.exec(stated.trim()) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const digits = `${first}${last.toUpperCase()}`;
  const total = [...digits.slice(0, 7)].reduce((sum, digit, index) => sum + Number(digit) * (8 - index), 0);
  const check = (11 - (total % 11)) % 11;
  return (check === 10 ? 'X' : String(check)) === digits[7] ? `${first}-${last.toUpperCase()}` : undefined;
}

/** With its hyphens as stated; ten or thirteen digits, the last of which is right. */
export function readIsbn(stated: string): string | undefined {
  const text = stated.trim().replace(/^(?:urn:)?isbn(?:-?1[03])?[:\s]*/i, '');
  if (!/^[\d][\d -]*[\dXx]$/.test(text)) return undefined;
  const digits = text.replace(/[ -]/g, '').toUpperCase();
  if (/^\d{13}$/.test(digits)) {
    const sum = [...digits].reduce(
      (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3),
      0,
    );
    return sum % 10 === 0 ? text : undefined;
  }
  if (!/^\d{9}[\dX]$/.test(digits)) return undefined;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (digit === 'X' ? 10 : Number(digit)) * (10 - index),
    0,
  );
  return sum % 11 === 0 ? text : undefined;
}

/** The National Institute of Informatics' number of a bibliographic record (CiNii Books). */
export function readNcid(stated: string): string | undefined {
  const text = stated.trim().toUpperCase();
  return /^[AB][A-Z]\d{7}[\dX]$/.test(text) ? text : undefined;
}

/** DSpace's own prefix of handles that nobody has registered: what it makes leads nowhere. */
export function isRegistered(handle: string): boolean {
  return !handle.startsWith('123456789/');
}
