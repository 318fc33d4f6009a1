import type { HeldItem, Problem, SourceFile, SourceItem } from '../../../src/core/adapter.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { isFileOfHouse } from './house-address.ts';
import { ItemDraft, type Undescribed } from './item-draft.ts';
import { plainOf } from './plain-record.ts';
import type { Placed } from './role.ts';
import { statedFile } from './stated-file.ts';

/** A few entries on their way to become items. */
export class Round {
  readonly problems: Problem[] = [];
  readonly lost: Statement[] = [];
  readonly unknown: string[] = [];
  readonly damaged: ReadonlySet<string>;
  readonly #held: ReadonlyMap<string, HeldItem>;
  readonly #stating: ReadonlyMap<string, readonly string[]>;
  readonly #undescribed: Undescribed;
  readonly #drafts = new Map<string, ItemDraft>();

  /**
   * @param held items by identifier
   * @param stating identifiers of items by the addresses of their files
   * @param damaged hashes of payloads that are to be fetched again
   */
  constructor(
    held: ReadonlyMap<string, HeldItem>,
    stating: ReadonlyMap<string, readonly string[]>,
    undescribed: Undescribed,
    damaged: ReadonlySet<string>,
  ) {
    this.damaged = damaged;
    this.#held = held;
    this.#stating = stating;
    this.#undescribed = undescribed;
  }

  drafts(): readonly ItemDraft[] {
    return [...this.#drafts.values()];
  }

  draft(identifier: string): ItemDraft {
    const known =
      this.#drafts.get(identifier) ??
      new ItemDraft(identifier, this.#held.get(identifier), this.#undescribed);
    this.#drafts.set(identifier, known);
    return known;
  }

  fail(identifier: string, format: string, message: string): void {
    this.problems.push({ code: 'record-quarantined', identifier, format, message });
  }

  /** What the Source says is gone: metadata, a file of items, or an item that is nothing else. */
  remove({ loc }: Statement, { identifier = loc, role }: Placed): void {
    let isKnown = false;
    for (const one of new Set([identifier, loc])) {
      const held = this.#held.get(one);
      const gone = held?.metadata.find(({ upstreamUrl }) => upstreamUrl === loc);
      const plain = held?.identifier === loc ? plainOf(held) : undefined;
      const format = (gone ?? plain)?.format;
      if (format === undefined) continue;
      isKnown = true;
      const draft = this.draft(one);
      draft.removed.add(format);
      draft.isToldGone = true;
    }
    for (const one of this.#stating.get(loc) ?? []) {
      isKnown = true;
      this.draft(one).removedFiles.add(loc);
    }
    // What says by its links, or its address, whose it is would have been found.
    if (!isKnown && role === 'plain') this.unknown.push(loc);
  }

  /** @returns the items that are known to have it */
  takeFile(statement: Statement, placed: Placed): readonly string[] {
    const { loc } = statement;
    const { identifier } = placed;
    const here = this.drafts().filter(({ described }) => described?.includes(loc) === true);
    const named = identifier === undefined || !this.#has(identifier) ? [] : [identifier];
    const stating = (this.#stating.get(loc) ?? []).filter((one) => this.#lives(one));
    const owners = new Set([...here.map((draft) => draft.identifier), ...named, ...stating]);
    if (this.#isThing(loc)) owners.add(loc);
    else if (this.#isAlone(loc)) {
      owners.delete(loc);
      if (owners.size > 0) this.draft(loc).describedAtLast();
    }
    for (const owner of owners) {
      const draft = this.draft(owner);
      const before = draft.held?.files.find(({ url }) => url === loc)?.sequence;
      const place = draft.described?.indexOf(loc) ?? -1;
      const next = (draft.held?.files.length ?? 0) + draft.files.size + 1;
      draft.files.set(loc, statedFile(statement, placed, place >= 0 ? place + 1 : (before ?? next)));
    }
    return [...owners];
  }

  /** What an item that has nothing left stated, and the Source did not say is gone. */
  forsaken(
    isGone: (url: string) => boolean,
  ): readonly { readonly draft: ItemDraft; readonly file: SourceFile }[] {
    return this.drafts().flatMap((draft) =>
      draft.lives || draft.refused || !draft.isToldGone
        ? []
        : (draft.held?.files ?? []).flatMap((file) => {
            const isListed = file.access !== 'unknown' && !isFileOfHouse(file.url);
            const isLeft = isListed && !draft.removedFiles.has(file.url) && !isGone(file.url);
            const isElsewhere = (this.#stating.get(file.url) ?? []).some(
              (one) => one !== draft.identifier && this.#lives(one),
            );
            return isLeft && !isElsewhere ? { draft, file } : [];
          }),
    );
  }

  /** It is here as an item of its own, for nothing described it. */
  #isAlone(loc: string): boolean {
    const held = this.#held.get(loc);
    return (
      held !== undefined && plainOf(held) !== undefined && this.#drafts.get(loc)?.described === undefined
    );
  }

  /** Metadata that has come describes this and nothing else: it was a landing page, as far as anybody knew. */
  #isThing(loc: string): boolean {
    const held = this.#held.get(loc);
    if (held === undefined || !this.#lives(loc) || plainOf(held) !== undefined) return false;
    return held.metadata.every(({ upstreamUrl }) => upstreamUrl !== loc);
  }

  #lives(identifier: string): boolean {
    return this.#drafts.get(identifier)?.lives ?? (this.#held.get(identifier)?.metadata.length ?? 0) > 0;
  }

  #has(identifier: string): boolean {
    return (this.#held.get(identifier)?.metadata.length ?? 0) > 0 || this.#drafts.has(identifier);
  }
}

/** What is in store once what was delivered a moment ago is, too. */
export function withDelivered(held: HeldItem | undefined, item: SourceItem): HeldItem {
  const { identifier, datestamp, collections, metadata, same = [], files, speaksFor } = item;
  const delivered = [
    ...metadata.map(({ content, hash, ...one }) => ({ ...one, hash, length: content.byteLength })),
    ...same,
  ].map(({ format, mediaType, upstreamUrl, hash, length, lastModified }) => {
    return { format, mediaType, upstreamUrl, hash, length, lastmod: lastModified ?? datestamp ?? '' };
  });
  const others = (held?.metadata ?? []).filter(({ format }) => !speaksFor.formats.includes(format));
  return {
    identifier,
    datestamp,
    collections,
    metadata: [...others, ...delivered],
    files: speaksFor.files ? files : (held?.files ?? []),
  };
}
