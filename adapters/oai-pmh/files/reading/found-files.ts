import type { SourceFile } from '../../../../src/core/adapter.ts';
import { fileName } from '../../../../src/core/signposting/file-name.ts';
import { fileUrl } from './file-url.ts';
import { isLandingPage, isPageFile, isRepositoryFile } from './link-kinds.ts';
import { isPageType, readMediaType } from './media-type.ts';
import type { StatedAccess } from './stated-access.ts';

/** A record with more would be a mistake of its repository; memory is bounded all the same. */
const maximumFiles = 100_000;
const maximumName = 1_000;

/** A file in the payload's own words. */
export interface StatedFile {
  readonly url: string;
  readonly name?: string | undefined;
  /** Free text is mapped or dropped. */
  readonly mediaType?: string | undefined;
  /** Octets; anything but digits is dropped. */
  readonly length?: string | undefined;
  readonly hash?: string | undefined;
  readonly access?: StatedAccess | undefined;
  readonly version?: string | undefined;
  /** A position that is stable upstream (DSpace's sequence id). */
  readonly position?: string | undefined;
}

/** The files of one record: gathered as they are stated, each URL once, and made fit to be handed on. */
export class FoundFiles {
  readonly #files = new Map<string, SourceFile & { readonly position: number | undefined }>();
  readonly #types = new Map<string, string>();

  /** @returns false when it is no file: no http(s) URL, or an HTML page */
  add(stated: StatedFile): boolean {
    const url = fileUrl(stated.url);
    if (url === undefined || isLandingPage(url)) return false;
    const mediaType = readMediaType(stated.mediaType);
    // A page in HTML that is no file of that name is the item's page, whatever the format calls it.
    if (isPageType(mediaType) && !isPageFile(url) && !isRepositoryFile(url)) return false;
    if (this.#files.has(url.href)) return true;
    if (this.#files.size >= maximumFiles) return false;
    const { access } = stated;
    const hash = ownText(stated.hash);
    const length = readLength(stated.length);
    const version = ownText(stated.version?.trim()) || undefined;
    this.#files.set(url.href, {
      url: url.href,
      name: ownText((stated.name?.trim() || fileName(url.href, mediaType)).slice(0, maximumName)),
      sequence: 0,
      ...(mediaType === undefined ? {} : { mediaType: this.#sharedType(mediaType) }),
      ...(length === undefined ? {} : { length }),
      ...(hash === undefined ? {} : { hash }),
      ...(access ?? {}),
      ...(version === undefined ? {} : { version }),
      position: readPosition(stated.position),
    });
    return true;
  }

  /** Most files of a record have the same. */
  #sharedType(mediaType: string): string {
    const known = this.#types.get(mediaType);
    if (known !== undefined) return known;
    const own = ownText(mediaType);
    this.#types.set(own, own);
    return own;
  }

  get size(): number {
    return this.#files.size;
  }

  /** Numbered: by their upstream positions where every file has one of its own, else as they were stated. */
  list(): SourceFile[] {
    const files = [...this.#files.values()];
    const positions = new Set(files.map(({ position }) => position));
    const stable = positions.size === files.length && !positions.has(undefined);
    return files.map(({ position, ...file }, index) => ({
      ...file,
      sequence: stable && position !== undefined ? position : index + 1,
    }));
  }
}

/**
 * A text that stands by itself: what is cut out of a payload holds on to all of the payload's text, which is 11 MB
 * where a record names 50,000 files.
 */
function ownText<Text extends string | undefined>(text: Text): Text {
  return (text && Buffer.from(text).toString()) as Text;
}

/** Octets, only where digits say so: `794 KB` and `15 pages` are for people. */
function readLength(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

function readPosition(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,6}$/.test(text.trim()) ? Number(text) : undefined;
}
