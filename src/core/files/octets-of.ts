const steps = ['', 'k', 'm', 'g', 't'];

/**
 * How many octets somebody means who types `300`, `50k`, `1.5 GB`: in steps of a thousand, as our own summaries count.
 *
 * @returns a whole number; undefined where it is none
 */
export function octetsOf(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmgt]?)b?$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const octets = Math.round(Number(digits) * 1000 ** steps.indexOf(unit.toLowerCase()));
  return Number.isSafeInteger(octets) ? octets : undefined;
}
