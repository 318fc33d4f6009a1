/** Of more, every look at what came last would cost a copy of all that came before. */
const pieceLength = 65_536;

/**
 * The part of a stream of text that is still needed, addressed by positions in the whole stream. It lies in pieces, so
 * that a record of many megabytes is put together once, when it has ended.
 */
export class TextWindow {
  readonly #pieces: string[] = [];
  #base: number;
  #end: number;

  constructor(base = 0) {
    this.#base = base;
    this.#end = base;
  }

  get end(): number {
    return this.#end;
  }

  append(text: string): void {
    const last = this.#pieces.length - 1;
    const before = this.#pieces[last];
    if (before !== undefined && before.length < pieceLength) this.#pieces[last] = before + text;
    else this.#pieces.push(text);
    this.#end += text.length;
  }

  /** So much has come that nobody needs, and nobody needs what came before. */
  pass(length: number): void {
    this.#pieces.length = 0;
    this.#end += length;
    this.#base = this.#end;
  }

  dropBefore(position: number): void {
    let passed = 0;
    for (const piece of this.#pieces) {
      if (this.#base + piece.length > position) break;
      this.#base += piece.length;
      passed += 1;
    }
    if (passed > 0) this.#pieces.splice(0, passed);
    const [first] = this.#pieces;
    if (first === undefined || position <= this.#base) return;
    this.#pieces[0] = first.slice(position - this.#base);
    this.#base = position;
  }

  slice(from: number, to: number): string {
    let text = '';
    let start = this.#end;
    for (let at = this.#pieces.length - 1; at >= 0 && start > from; at -= 1) {
      const piece = this.#pieces[at] ?? '';
      start -= piece.length;
      if (start < to) text = piece.slice(Math.max(0, from - start), to - start) + text;
    }
    return text;
  }

  /** Where the tag begins that the parser is in, or has just left, at `position`. */
  tagStart(position: number): number {
    let start = this.#end;
    for (let at = this.#pieces.length - 1; at >= 0; at -= 1) {
      const piece = this.#pieces[at] ?? '';
      start -= piece.length;
      const found = start < position ? piece.lastIndexOf('<', position - start - 1) : -1;
      if (found >= 0) return start + found;
    }
    return this.#base - 1;
  }

  /** Whether the tag that ends at `position` closes the element `name`. */
  closes(name: string, position: number): boolean {
    const start = this.tagStart(position);
    return /^<\/([^\s>]+)\s*>$/.exec(this.slice(start, position))?.[1] === name;
  }

  /** First match at or behind `from`: its position, or undefined. Costs a copy of what lies behind it. */
  search(pattern: RegExp, from: number): number | undefined {
    const start = Math.max(from, this.#base);
    pattern.lastIndex = 0;
    const match = pattern.exec(this.slice(start, this.#end));
    return match === null ? undefined : start + match.index;
  }
}
