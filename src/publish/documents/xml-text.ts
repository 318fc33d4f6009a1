/** What may stand in our documents: XML 1.0 text, and URIs in ASCII (RS-GEN-08, RS-GEN-19). */

// Everything but printable ASCII without markup; the one test that nearly every value passes.
const notPlain = /[^ !#-%'-;=?-~]/;
const notUriPlain = /[^!#-%'-;=?-[\]_a-z~]/;
const illegal = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const notOfUri = /[^!#-;=?-[\]_a-z~]/;
const notInUri = /[^!#-;=?-[\]_a-z~]+/g;

/**
 * A value as XML text or attribute. What XML 1.0 cannot carry becomes U+FFFD; line breaks and tabs become
 * spaces, as a parser would make them in an attribute.
 */
export function escapeXml(value: string): string {
  return notPlain.test(value) ? escapeMarkup(cleanText(value)) : value;
}

export function cleanText(value: string): string {
  return value.replace(/[\t\n\r]/g, ' ').replace(illegal, '\uFFFD');
}

/** A URI as XML text or attribute: whatever RFC 3986 does not allow in one is percent-encoded. */
export function escapeUri(uri: string): string {
  if (!notUriPlain.test(uri)) return uri;
  // Addresses with a query: there is one in each entry.
  return notOfUri.test(uri) ? escapeMarkup(toAsciiUri(uri)) : uri.replaceAll('&', '&amp;');
}

/** Whether `escapeUri` writes another text. */
export function mustEscapeUri(uri: string): boolean {
  return notUriPlain.test(uri);
}

/** `%` stays: a URI that is already encoded does not change. */
export function toAsciiUri(uri: string): string {
  return uri.replace(illegal, '\uFFFD').replace(notInUri, percentEncode);
}

function percentEncode(characters: string): string {
  let encoded = '';
  for (const byte of Buffer.from(characters, 'utf8')) {
    encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
