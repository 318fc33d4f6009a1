import { Parser } from 'htmlparser2';
import { absolute, maximumLinks, type TypedLink, toTypedLink, type WrittenLink } from './typed-link.ts';

/** Reads the links in the head of an HTML page as it comes, piece by piece. */
export interface HeadReader {
  /** @returns false once the head is over: nothing behind it counts */
  write(text: string): boolean;
  /** What has been read so far. */
  links(): readonly TypedLink[];
}

/** @param url of the page; its `<base>` is honoured */
export function createHeadReader(url: string): HeadReader {
  const written: WrittenLink[] = [];
  let base: string | undefined;
  let over = false;
  const parser = new HeadParser({
    onopentag(name, attributes) {
      if (over) return;
      if (name === 'body') over = true;
      // The first one counts (HTML, 4.2.3), also for links before it.
      else if (name === 'base') base ??= attributes.href;
      else if (name === 'link' && attributes.href !== undefined && written.length < maximumLinks) {
        const { href, anchor, rel, type, length, title } = attributes;
        written.push({ target: href, anchor, rel, type, length, title });
      }
    },
    onclosetag(name) {
      if (name === 'head') over = true;
    },
  });
  return {
    write(text) {
      if (!over) parser.write(text);
      return !over;
    },
    links() {
      const from = (base === undefined ? undefined : absolute(base, url)) ?? url;
      return written.flatMap((link) => toTypedLink(link, from) ?? []);
    },
  };
}

/**
 * Keeps no account of open elements but the head: it is not needed, and a hundred thousand of them, one in the
 * other, would take seconds.
 */
class HeadParser extends Parser {
  protected override isVoidElement(name: string): boolean {
    return name !== 'head';
  }
}
