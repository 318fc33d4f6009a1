/** The part of a stream of text that is still needed, addressed by positions in the whole stream. */
export class TextWindow {
  #text = '';
  #base: number;

  constructor(base = 0) {
    this.#base = base;
  }

  get end(): number {
    return this.#base + this.#text.length;
  }

  append(text: string): void {
    this.#text += text;
  }

  dropBefore(position: number): void {
    if (position <= this.#base) return;
    this.#text = this.#text.slice(position - this.#base);
    this.#base = position;
  }

  slice(from: number, to: number): string {
    return this.#text.slice(Math.max(0, from - this.#base), to - this.#base);
  }

  /** Where the tag begins that the parser is in, or has just left, at `position`. */
  tagStart(position: number): number {
    return this.#base + this.#text.lastIndexOf('<', position - this.#base - 1);
  }

  /** Whether the tag that ends at `position` closes the element `name`. */
  closes(name: string, position: number): boolean {
    const start = this.tagStart(position);
    return /^<\/([^\s>]+)\s*>$/.exec(this.slice(start, position))?.[1] === name;
  }

  /** First match at or behind `from`: its position, or undefined. */
  search(pattern: RegExp, from: number): number | undefined {
    pattern.lastIndex = Math.max(0, from - this.#base);
    const match = pattern.exec(this.#text);
    return match === null ? undefined : this.#base + match.index;
  }
}
