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

/**
 * A power of two, and about as many as the memory for answers holds: what comes again after more others than that would have
 * been forgotten there, too, before it is of use. With more places each of them would be kept for nothing, and so much that
 * lives for some seconds has V8 collect its whole heap again and again.
 */
const places = 8192;
