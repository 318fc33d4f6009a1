import type { Attributes } from './document-model.ts';
import type { Report } from './finding.ts';

/** Rules about single values: URIs, and the facts about a representation. */

const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/;
// What RFC 3986 allows in a URI.
const uriCharacters = /^[!#-;=?-[\]_a-z~]*$/;

export function isAbsoluteUri(value: string): boolean {
  return absolute.test(value);
}

/** RS-GEN-08. */
export function checkLoc(loc: string, report: Report): void {
  if (!isAbsoluteUri(loc) || !URL.canParse(loc)) {
    report('RS-GEN-08', 'warning', `loc "${loc}" is not an absolute URI`);
  } else if (!uriCharacters.test(loc)) {
    report('RS-GEN-08', 'warning', 'loc has characters that must be percent-encoded');
  } else if (loc.length < 12 || loc.length > 2048) {
    report('RS-GEN-08', 'warning', `loc has ${loc.length} characters`);
  }
}

const digestLengths: Readonly<Record<string, number>> = {
  md5: 32,
  'sha-1': 40,
  'sha-256': 64,
  'sha-512': 128,
};

/** RS-ATTR-08, -11, -13…15: they mean the same on entries and on links. */
export function checkFacts(attributes: Attributes, report: Report): void {
  const hash = attributes.get('hash');
  if (hash !== undefined) {
    for (const token of hash.trim().split(/\s+/)) checkHash(token, report);
  }
  const length = attributes.get('length');
  if (length !== undefined && !/^\d+$/.test(length)) report('RS-ATTR-11', 'error', `length is "${length}"`);
  const type = attributes.get('type');
  if (type !== undefined && !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/.test(type)) {
    report('RS-ATTR-15', 'error', `type "${type}" is not a media type`);
  }
  const path = attributes.get('path');
  if (path !== undefined) checkPath(path, report);
}

function checkHash(token: string, report: Report): void {
  const [, algorithm = '', digest = ''] = /^([^\s:]+):([0-9a-fA-F]+)$/.exec(token) ?? [];
  const expected = digestLengths[algorithm];
  if (digest === '' || (expected !== undefined && digest.length !== expected)) {
    report('RS-ATTR-08', 'error', `hash "${token}" is not <algorithm>:<hex digest>`);
  }
}

function checkPath(path: string, report: Report): void {
  if (!/^\/.*[^/]$/.test(path)) report('RS-ATTR-13', 'error', `path "${path}" does not begin at the root`);
  if (/(^|\/)\.\.(\/|$)|\\|^\/?[A-Za-z]:/.test(path)) {
    report('RS-ATTR-14', 'warning', `path "${path}" leads out of the package`);
  }
}
