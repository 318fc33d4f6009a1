/** A person or a body as both targets have one. */
export interface Name {
  /** `Family, Given`, or the name of a body. */
  readonly text: string;
  readonly isBody: boolean;
  readonly language: string | undefined;
  /** Bare, with the right check digit: `0000-0002-1825-0097`. */
  readonly orcid: string | undefined;
}

const bodies =
  /\b(?:universit|institut|department|dept\b|librar|laborator|cent(?:er|re)\b|committee|society\b|association|consortium|ministry|agency|organi[sz]ation|foundation|school of|faculty of|council\b|corporation|inc\.)|大学|研究所|研究会|研究科|研究室|研究部|学会|学部|図書館|委員会|センター|協会|機構|財団|会社|編集部|博物館/i;

/** Whether it looks like the name of a body; with a comma in it, it is taken for one only where it says so. */
export function looksLikeBody(name: string): boolean {
  return bodies.test(name);
}

/** With one comma and one blank between family and given names; what has no comma is left as it is. */
export function nameOf(stated: string): string {
  const text = stated.replace(/\s+/g, ' ').trim();
  return text.replace(/\s*[,，、]\s*/, ', ').replace(/, $/, '');
}

/** The ORCID in an authority or an address, if its check digit is right (ISO 7064 MOD 11-2). */
export function readOrcid(stated: string | undefined): string | undefined {
  const [, found] = /(?<!\d)(\d{4}-\d{4}-\d{4}-\d{3}[\dXx])(?!\d)/.exec(stated ?? '') ?? [];
  if (found === undefined) return undefined;
  const digits = found.replaceAll('-', '').toUpperCase();
  let total = 0;
  for (const digit of digits.slice(0, 15)) total = (total + Number(digit)) * 2;
  const check = (12 - (total % 11)) % 11;
  return (check === 10 ? 'X' : String(check)) === digits[15] ? found.toUpperCase() : undefined;
}
