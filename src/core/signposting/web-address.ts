/** Databases index URLs, and PostgreSQL's index entries end at 2,704 octets. */
const maximum = 2_048;

/** An absolute http(s) URL in percent-encoded ASCII, without credentials and fragment; undefined for all else. */
export function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb || url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
  url.hash = '';
  const href = url.href
    .replace(/#$/, '')
    .replace(/[^\w\-.~:/?[\]@!$&'()*+,;=%]/g, percentEncode)
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25');
  return href.length > maximum ? undefined : href;
}

/** What `URL` leaves as it is, though no URI may hold it: `|`, `^` and the like, ASCII all of them. */
function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
