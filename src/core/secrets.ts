/**
 * What this process knows that nobody else may learn from it. One table for the whole process, as the environment is:
 * a secret may turn up in an address, in what a repository answers, or in the message of a library.
 */

/** Shorter ones would turn the words of a log into asterisks; `secretKeys` still keeps them out of addresses. */
const shortest = 6;
const mask = '[secret]';

const known = new Set<string>();
let pattern: RegExp | undefined;

/** Names under which addresses carry a secret, wherever that came from. */
const secretKeys =
  '(?:x[-_])?api[-_]?key|(?:access|auth|api|id|refresh|bearer)?[-_]?token|auth|authorization|(?:client[-_]?)?secret|pass(?:word|wd|phrase)?|pwd|signature|sig|jwt|session[-_]?id|x-amz-(?:signature|credential|security-token)';
/** What is masked already is a part of it. */
const value = `(?:\\[secret\\]|[^&;#\\s"'<>\\\\)\\]])+`;
const keyed = new RegExp(`([?&;](?:amp;)?(?:${secretKeys})(?:=|%3d))${value}`, 'gi');
const userinfo = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/?#\s"'<>@]*@/gi;

/** Remembers what has to be kept, in the forms in which it may turn up. */
export function keepSecret(value: string): void {
  const text = value.trim();
  if (text.length < shortest) return;
  for (const form of formsOf(text)) known.add(form);
  const forms = [...known].sort((a, b) => b.length - a.length).map(quote);
  pattern = new RegExp(forms.join('|'), 'gi');
}

/** For tests. */
export function forgetSecrets(): void {
  known.clear();
  pattern = undefined;
}

/** The text without what we know to be secret: for pages, whose links are otherwise left as they are. */
export function redactKnown(text: string): string {
  return pattern ? text.replace(pattern, mask) : text;
}

/** The text without anything that is secret, or is called so: a message, an address, or a line of JSON. */
export function redact(text: string): string {
  const plain = redactKnown(text);
  if (!plain.includes('=') && !plain.includes('@') && !/%3d/i.test(plain)) return plain;
  return plain.replace(keyed, `$1${mask}`).replace(userinfo, '$1');
}

/** Whether an address, or a text with addresses, may not be shown to everybody. */
export function hasSecret(text: string): boolean {
  return (
    text.search(keyed) >= 0 ||
    // The expression looks at all that is before an `@`, most addresses have none, and lists have millions.
    (text.includes('@') && text.search(userinfo) >= 0) ||
    (pattern !== undefined && text.search(pattern) >= 0)
  );
}

function* formsOf(text: string): Generator<string> {
  for (const form of addressForms(text)) {
    yield form;
    yield JSON.stringify(form).slice(1, -1);
    const xml = form.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    yield xml;
    yield xml.replaceAll('"', '&quot;').replaceAll("'", '&#39;');
  }
}

function* addressForms(text: string): Generator<string> {
  // Half a character cannot be encoded.
  const sound = Buffer.from(text).toString();
  yield* [
    text,
    encodeURIComponent(sound),
    encodeURI(sound),
    new URLSearchParams({ a: text }).toString().slice(2),
  ];
  // As a URL object writes it, in a path and in a query.
  if (/[/?#\s\\]/.test(sound)) return;
  const url = new URL(`http://h/${sound}?${sound}`);
  yield* [url.pathname.slice(1), url.search.slice(1)];
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
