import { Writable } from 'node:stream';

/** A terminal of which only what programs here use is understood; `text` is what a person sees on it. */
export class Screen extends Writable {
  readonly isTTY = true;
  readonly columns: number;
  readonly rows = 24;
  /** Everything that was written, in order. */
  readonly written: string[] = [];
  readonly #lines: string[] = [''];
  #row = 0;
  #column = 0;

  constructor(columns = 100) {
    super({ decodeStrings: false });
    this.columns = columns;
  }

  get text(): string {
    return this.#lines.join('\n').replace(/\n+$/, '');
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.written.push(String(chunk));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what commands a terminal.
    for (const [part] of String(chunk).matchAll(/\u001b\[(\d*)([A-Za-z])|\r|\n|[^\u001b\r\n]+/g))
      this.#take(part);
    done();
  }

  #take(part: string): void {
    const line = this.#lines[this.#row] ?? '';
    if (part === '\r') this.#column = 0;
    else if (part === '\n') {
      this.#row += 1;
      this.#column = 0;
      this.#lines[this.#row] ??= '';
    } else if (part === '\u001b[J') {
      this.#lines.length = this.#row + 1;
      this.#lines[this.#row] = line.slice(0, this.#column);
    } else if (part === '\u001b[K') this.#lines[this.#row] = line.slice(0, this.#column);
    else if (part.endsWith('A')) this.#row -= Number.parseInt(part.slice(2), 10);
    else if (!part.startsWith('\u001b')) {
      const end = this.#column + part.length;
      this.#lines[this.#row] = line.slice(0, this.#column).padEnd(this.#column) + part + line.slice(end);
      this.#column = end;
    } else if (!part.endsWith('m')) throw new Error(`a terminal command nobody expected: ${part.slice(1)}`);
  }
}
