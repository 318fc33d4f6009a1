/** What a request says, in its order; repetitions stay, because they are errors. */
export interface Arguments {
  readonly pairs: readonly (readonly [name: string, value: string])[];
  /** Names and values whose octets are no UTF-8 in the form of URLs: they are not in `pairs`. */
  readonly illegible: number;
  /** A POST brought something else than a form: nothing was read. */
  readonly isNoForm?: true;
}

export const noForm: Arguments = { pairs: [], illegible: 0, isNoForm: true };

/**
 * Reads `application/x-www-form-urlencoded` (OAI-PMH §3.1.1), of the query and of the body of a POST together.
 * @param texts each octet one character (latin1), as Node hands on the target of a request
 */
export function parseArguments(...texts: readonly string[]): Arguments {
  const pairs: (readonly [string, string])[] = [];
  let illegible = 0;
  for (const part of texts.flatMap((text) => text.split('&'))) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : decode(part.slice(equals + 1));
    if (name === undefined || value === undefined) illegible += 1;
    else pairs.push([name, value]);
  }
  return { pairs, illegible };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(text: string): string | undefined {
  const octets = text
    .replaceAll('+', ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    return utf8.decode(Buffer.from(octets, 'latin1'));
  } catch {
    return undefined;
  }
}
