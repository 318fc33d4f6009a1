/** A typed link (RFC 8288) as an HTTP field, the head of a page or a link set states it. */
export interface TypedLink {
  /** What it is a link of, absolute; undefined where nothing is said, which means: where it was found. */
  readonly context: string | undefined;
  /** In lower case. */
  readonly relations: readonly string[];
  /** Its target, absolute; any scheme. */
  readonly href: string;
  /** `type/subtype` in lower case, without parameters. */
  readonly type?: string | undefined;
  /** Octets. */
  readonly length?: number | undefined;
  readonly title?: string | undefined;
}

/** So many links of one document are read: what comes behind is beyond what any item has. */
export const maximumLinks = 50_000;

/** The attributes of a link as they are written; undefined where there are none. */
export interface WrittenLink {
  readonly target: string;
  readonly anchor?: string | undefined;
  readonly rel: string | undefined;
  readonly type?: string | undefined;
  readonly length?: string | undefined;
  readonly title?: string | undefined;
}

/** @returns undefined where it leads nowhere, or says of no relation */
export function toTypedLink(written: WrittenLink, base: string): TypedLink | undefined {
  const href = absolute(written.target, base);
  const relations = (written.rel ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const context = written.anchor === undefined ? undefined : absolute(written.anchor, base);
  // A link of something that cannot be told is a link of nothing we know.
  const lost = written.anchor !== undefined && context === undefined;
  if (href === undefined || relations.length === 0 || lost) return undefined;
  return {
    context,
    relations,
    href,
    type: mediaType(written.type),
    length: octets(written.length),
    title: written.title?.trim() || undefined,
  };
}

/** References over 4,096 characters are none. */
export function absolute(reference: string, base: string): string | undefined {
  const text = reference.trim();
  return text.length <= 4096 && URL.canParse(text, base) ? new URL(text, base).href : undefined;
}

/** `type/subtype` in lower case, without parameters; undefined for anything else. */
export function mediaType(text: string | undefined): string | undefined {
  const type = text?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/.test(type) ? type : undefined;
}

function octets(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}
