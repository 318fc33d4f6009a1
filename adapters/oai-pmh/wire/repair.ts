import { htmlEntities } from './html-entities.ts';
import { replaceInPieces } from './pieces.ts';

export interface Repair {
  readonly text: string;
  /** What was done, for the operator; empty when nothing was. */
  readonly reasons: readonly string[];
}

/** A CDATA section, a comment, an XML declaration: inside them an ampersand is only itself. */
const opaque = /<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->|<\?xml\s[^>]*\?>\s*/g;
const reference = /&(?:#(\d{1,10}|[xX][\dA-Fa-f]{1,8});|([A-Za-z][\w.-]*);)?/g;
/** Everything outside of XML 1.0's Char, and nothing else: astral characters live (quirk 92). */
const illegal = /(?![\t\n\r\u007f-\u009f])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu;
const mostForbidden = 100_000;
const predefined: ReadonlySet<string> = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);

/**
 * Mends what real repositories get wrong inside one record (quirks 75, 79, 81, 82). Pure text work on a span
 * that is not well-formed: the caller parses the result again, strictly. References to entities that only a
 * DTD could define stay, and so fail there.
 */
export function repairRecord(span: string): Repair {
  if (isNoText(span)) return { text: span, reasons: [] };
  const reasons = new Set<string>();
  let text = '';
  let end = 0;
  for (const match of span.matchAll(opaque)) {
    text += repairReferences(span.slice(end, match.index), reasons);
    if (match[0].startsWith('<?')) reasons.add('an XML declaration inside the record was removed');
    else text += match[0];
    end = match.index + match[0].length;
  }
  text += repairReferences(span.slice(end), reasons);
  text = replaceInPieces(text, illegal, () => {
    reasons.add('characters that XML forbids were replaced');
    return '\uFFFD';
  });
  return { text, reasons: [...reasons] };
}

/** What is full of characters that XML forbids is not damaged, but something else. */
function isNoText(span: string): boolean {
  illegal.lastIndex = 0;
  let times = 0;
  while (times <= mostForbidden && illegal.test(span)) times += 1;
  illegal.lastIndex = 0;
  return times > mostForbidden;
}

function repairReferences(text: string, reasons: Set<string>): string {
  if (!text.includes('&')) return text;
  return replaceInPieces(text, reference, (whole = '', number, name) => {
    if (number !== undefined) {
      const code = /^x/i.test(number) ? Number.parseInt(number.slice(1), 16) : Number.parseInt(number, 10);
      if (isCharacter(code) && !number.startsWith('X')) return whole;
      reasons.add('references to characters that XML forbids were replaced');
      return isCharacter(code) ? `&#${code};` : '\uFFFD';
    }
    if (name === undefined) {
      reasons.add('bare ampersands were escaped');
      return '&amp;';
    }
    if (predefined.has(name)) return whole;
    const character = htmlEntities.get(name);
    if (character === undefined) return whole;
    reasons.add('HTML entities were replaced by their characters');
    return character;
  });
}

function isCharacter(code: number): boolean {
  return (
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  );
}
