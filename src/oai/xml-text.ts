const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const plain = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x7e]*$/;

/** A text in an element or between double quotes. What XML 1.0 cannot hold becomes U+FFFD. */
export function xmlText(value: string): string {
  // Of most texts nothing is replaced, and nothing is looked for twice.
  if (plain.test(value)) return value;
  return value
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"\t\n\r]/g, (character) => escapes[character] ?? '');
}

/** An element with a text, or nothing where there is no text. */
export function element(name: string, value: string | undefined): string {
  return value === undefined ? '' : `<${name}>${xmlText(value)}</${name}>`;
}

/** Whether XML 1.0 can hold a text as it is. */
export function isXmlText(value: string): boolean {
  return !/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(value);
}
