/** What an ampersand begins, where it is none by itself. What only a document type could define stays, and is refused. */
const reference = /&(?:#\d{1,7};|#x[\dA-Fa-f]{1,6};|[A-Za-z][\w.-]{0,39};)?/g;
/** A comment, a CDATA section, a processing instruction or declaration: in it an ampersand is only itself. */
const opening = /<(?:!--|!\[CDATA\[|\?)/g;
const ends: Readonly<Record<string, string>> = { '<!--': '-->', '<![CDATA[': ']]>', '<?': '?>' };
/** What more of the document may make something of. */
const unfinished = /(?:&(?:#?[\w.-]{0,40})?|<(?:!(?:-|\[C?D?A?T?A?)?)?)$/;
const unfinishedEnd = /(?:--?|\]\]?|\?)$/;
/** What has more is not damaged, but something else. */
const most = 100_000;

/**
 * Escapes ampersands of a document that nobody has escaped, as in `<loc>https://a.example/?a=1&b=2</loc>`, piece by
 * piece. At most some dozens of characters are kept back for what follows.
 */
export class BareAmpersands {
  readonly #onFound: (where: string) => void;
  readonly #tooMany: () => Error;
  #rest = '';
  /** Of what it is in. */
  #end: string | undefined;
  #found = 0;

  /**
   * @param onFound told of each, with what stands around it
   * @param tooMany what is thrown then
   */
  constructor(onFound: (where: string) => void, tooMany: () => Error) {
    this.#onFound = onFound;
    this.#tooMany = tooMany;
  }

  /** Something is kept back. */
  get isPending(): boolean {
    return this.#rest !== '';
  }

  /** @param write takes what came before an ampersand before that is told */
  escape(piece: string, write: (text: string) => void): void {
    const text = this.#rest + piece;
    this.#rest = '';
    for (let at = 0; at < text.length; ) {
      const start = at;
      if (this.#end !== undefined) {
        const end = text.indexOf(this.#end, at);
        at = end === -1 ? this.#keepBack(text, at, unfinishedEnd) : end + this.#end.length;
        write(text.slice(start, at));
        if (end === -1) return;
        this.#end = undefined;
        continue;
      }
      opening.lastIndex = at;
      const found = opening.exec(text);
      at = found === null ? this.#keepBack(text, at, unfinished) : opening.lastIndex;
      this.#escapeIn(text.slice(start, at), write);
      if (found === null) return;
      this.#end = ends[found[0]];
    }
  }

  /** What was kept back, at the end of the document. */
  finish(write: (text: string) => void): void {
    const rest = this.#rest;
    this.#rest = '';
    if (this.#end === undefined) this.#escapeIn(rest, write);
    else write(rest);
  }

  /** @returns where it begins */
  #keepBack(text: string, from: number, form: RegExp): number {
    const tail = text.slice(Math.max(from, text.length - 48));
    this.#rest = form.exec(tail)?.[0] ?? '';
    return text.length - this.#rest.length;
  }

  #escapeIn(text: string, write: (text: string) => void): void {
    let from = 0;
    if (text.includes('&'))
      for (const { 0: whole, index } of text.matchAll(reference)) {
        if (whole.length > 1) continue;
        this.#found += 1;
        if (this.#found > most) throw this.#tooMany();
        write(text.slice(from, index));
        this.#onFound(around(text, index));
        write('&amp;');
        from = index + 1;
      }
    write(text.slice(from));
  }
}

/** The word that it stands in, as far as that is short. */
function around(text: string, at: number): string {
  const [before = ''] = /[^\s<>"']{0,60}$/.exec(text.slice(Math.max(0, at - 60), at)) ?? [];
  const [behind = ''] = /^[^\s<>"']{0,60}/.exec(text.slice(at, at + 60)) ?? [];
  return before + behind;
}
