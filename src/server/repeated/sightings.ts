/**
 * Whether something was seen before, as far as so few numbers can tell: what is asked for once need not be kept for a second
 * time. Another text with the same number is taken for it, and one in the same place makes it forget.
 */
export class Sightings {
  readonly #seen = new Int32Array(places);

  /** @returns whether it was seen before */
  note(text: string): boolean {
    let number = 0;
    for (let at = 0; at < text.length; at += 1) number = (Math.imul(number, 31) + text.charCodeAt(at)) | 0;
    const place = (number ^ (number >>> 16)) & (places - 1);
    if (this.#seen[place] === number) return true;
    this.#seen[place] = number;
    return false;
  }
}

/** A power of two. */
const places = 65_536;
