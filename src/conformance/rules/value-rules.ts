import type { Attributes } from '../../resourcesync/documents/document-model.ts';
import type { Report } from '../documents/finding.ts';

/** Rules about single values: URIs, and the facts about a representation. */

const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/;
// What RFC 3986 allows in a URI; the first is what nearly every one looks like.
const plainUri = /^https?:\/\/[a-z0-9.-]+(?::\d{1,4})?\/[!#$&-;=?-Z_a-z~]*$/;
const uriCharacters = /^(?:[!#$&-;=?-[\]_a-z~]|%[0-9A-Fa-f]{2})*$/;

export function isAbsoluteUri(value: string): boolean {
  return plainUri.test(value) || absolute.test(value);
}

/** RS-GEN-08. */
export function checkLoc(loc: string, report: Report): void {
  if (loc.length < 12 || loc.length > 2048) {
    report('RS-GEN-08', `loc has ${loc.length} characters`);
  } else if (!plainUri.test(loc)) {
    if (!absolute.test(loc) || !URL.canParse(loc)) {
      report('RS-GEN-08', `loc "${loc}" is not an absolute URI`);
    } else if (!uriCharacters.test(loc)) {
      report('RS-GEN-08', 'loc has characters that must be percent-encoded');
    }
  }
}

const digestLengths: Readonly<Record<string, number>> = {
  md5: 32,
  'sha-1': 40,
  'sha-256': 64,
  'sha-384': 96,
  'sha-512': 128,
};
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/;

/** RS-ATTR-08, -11, -13…15: they mean the same on entries and on links. */
export function checkFacts(attributes: Attributes, report: Report): void {
  const hash = attributes.get('hash');
  if (hash !== undefined) checkHashes(hash, report);
  const length = attributes.get('length');
  if (length !== undefined && !/^\d+$/.test(length)) report('RS-ATTR-11', `length is "${length}"`);
  const type = attributes.get('type');
  if (type !== undefined && !mediaType.test(type)) {
    report('RS-ATTR-15', `type "${type}" is not a media type`);
  }
}

function checkHashes(hash: string, report: Report): void {
  for (const token of hash.trim().split(/\s+/)) {
    const colon = token.indexOf(':');
    const expected = digestLengths[token.slice(0, colon)];
    const digits = token.length - colon - 1;
    if (colon < 1 || (expected !== undefined && digits !== expected) || !/:[0-9a-fA-F]+$/.test(token)) {
      report('RS-ATTR-08', `hash "${token}" is not <algorithm>:<hex digest>`);
    }
  }
}

/** @param rule of the manifest that says the same of its entries */
export function checkPath(path: string, rule: string, report: Report): void {
  if (!/^\/.*[^/]$/.test(path)) {
    report(`RS-ATTR-13${rule}`, `path "${path}" is not a file's path with a leading slash`);
  }
  if (/(^|\/)\.\.(\/|$)|\\|^\/?[A-Za-z]:/.test(path)) {
    report('RS-ATTR-14', `path "${path}" leads out of the package`);
  }
}
