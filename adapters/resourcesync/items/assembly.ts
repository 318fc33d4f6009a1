import type { HeldItem, Holdings, Problem, SourceFile, SourceItem } from '../../../src/core/adapter.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import type { SourcePort } from '../../../src/resourcesync/source-port.ts';
import { fetchPayload } from '../reading/payload.ts';
import { Awaited } from './awaited.ts';
import type { DoubledOrigins } from './doubled-origins.ts';
import { formatName } from './format-name.ts';
import { collectionKey } from './house-address.ts';
import type { ItemDraft, Undescribed } from './item-draft.ts';
import { readPast } from './item-past.ts';
import type { MetCollections } from './met-collections.ts';
import { refuseOwn } from './own-words.ts';
import { plainFormat, plainRecord } from './plain-record.ts';
import { hrefs, type Placed, placeOf } from './role.ts';
import { Round, withDelivered } from './round.ts';
import { isPage } from './signposted-page.ts';
import { statedFile } from './stated-file.ts';
import { takePage } from './taken-page.ts';

/** What items are made with. */
export interface Making {
  readonly port: SourcePort;
  readonly holdings: Holdings;
  /** Of the set that is followed. */
  readonly set: string;
  /** It is a plain Sitemap: what it lists are pages, mostly. */
  readonly isSitemap: boolean;
  readonly origins: DoubledOrigins;
  readonly collectionsMet: MetCollections;
  /** Where we publish ourselves. */
  readonly baseUrl: string | undefined;
  /** By name; undefined: all. */
  readonly formats: readonly string[] | undefined;
  /** Keys of collections; undefined: all. */
  readonly collections: readonly string[] | undefined;
  readonly withFiles: boolean;
  /** Whether metadata of this address may be fetched. */
  readonly isAllowed: (loc: string) => boolean;
  readonly atOnce: number;
  readonly reading: Reading;
  /** Earlier states are read where a Source has TimeMaps. */
  readonly withPast: boolean;
  /** What is in store is looked over, and fetched again where it is damaged. */
  readonly mends: boolean;
}

/**
 * What the entries are: the whole list, or the changes of a time, a page after the other; or all that there is `anew` of
 * an item, whose bytes are fetched though they are in store as they are stated.
 */
export type Reading = 'list' | 'changes' | 'anew';

const undescribed: Readonly<Record<Reading, Undescribed>> = {
  list: 'kept',
  changes: 'kept-if-listed',
  anew: 'dropped',
};

export interface Assembled {
  readonly items: readonly SourceItem[];
  readonly problems: readonly Problem[];
  /** Files that no item states, or none that is known yet. */
  readonly lost: readonly Statement[];
  /** Deletions of what nobody knows here, by address. */
  readonly unknownDeletions: readonly string[];
}

/** After so many that could not be fetched the next would fare no better. */
const failuresInARow = 10;

/** Makes items of entries, in pages: what is in store tells what need not be fetched, and what an address was. */
export class Assembly {
  /** Files, by the items that have them, of a list that is read. */
  readonly awaited = new Awaited();
  /** Items whose metadata has not come, by the files that they state and that have. */
  readonly forsaken = new Awaited();
  /** Described by what is not for everybody; with more, nobody can say what is not. */
  readonly #hidden = new Set<string>();
  readonly #making: Making;
  /** Delivered lately: it may not be in store yet. */
  #lately: readonly ReadonlyMap<string, SourceItem>[] = [];
  #failures = 0;

  constructor(making: Making) {
    this.#making = making;
  }

  /**
   * @param takesLost files that nothing describes become items of their own
   * @param isGone of changes, whether they say so of an address
   */
  async assemble(
    listed: readonly Statement[],
    takesLost: boolean,
    isGone: (url: string) => boolean = () => false,
  ): Promise<Assembled> {
    const { set, baseUrl, withFiles } = this.#making;
    // Of an address that is there twice the last word counts.
    const statements = [...new Map(listed.map((statement) => [statement.loc, statement])).values()];
    for (const statement of statements) {
      if (statement.change === 'deleted') continue;
      refuseOwn(statement, baseUrl);
      this.#making.origins.note(statement);
      this.#making.collectionsMet.note(statement);
    }
    const placed = statements.map((statement) => ({ statement, placed: placeOf(statement, set) }));
    const round = await this.#open(placed);
    const metadata = placed.filter(({ placed: { role } }) => role === 'metadata');
    for (const one of placed) if (one.statement.change === 'deleted') round.remove(one.statement, one.placed);
    await this.#inTurns(metadata, (one) => this.#takeMetadata(round, one));
    const pages = this.#making.isSitemap
      ? placed.filter(({ statement, placed: { role } }) => role === 'plain' && isPage(statement))
      : [];
    const anew = { ...this.#making, isAnew: this.#making.reading === 'anew' };
    await this.#inTurns(pages, ({ statement }) => takePage(round, statement, anew));
    const taken = new Set(pages.map(({ statement }) => statement.loc));
    for (const { statement, placed: place } of placed) {
      if (statement.change === 'deleted' || place.role === 'metadata' || taken.has(statement.loc)) continue;
      if (place.role === 'plain') this.#takePlain(round, statement, place);
      else this.#takeFile(round, statement, place, takesLost);
    }
    if (this.#making.reading === 'changes') this.#takeForsaken(round, isGone);
    await this.#inTurns(
      round.drafts().filter(({ withPast }) => withPast.length > 0),
      (draft) => this.#readPast(draft),
    );
    const items = round.drafts().flatMap((draft) => draft.finish(withFiles) ?? []);
    if (this.#making.reading === 'list') {
      for (const statement of statements) {
        if (statement.change !== 'deleted') this.awaited.meet(...namedBy(statement));
      }
      for (const draft of round.drafts()) {
        const kept = draft.keptFiles().map(({ url }) => url);
        this.awaited.await(draft.identifier, kept);
        if (draft.metadata.length > 0 || draft.same.length > 0) this.forsaken.meet(draft.identifier);
      }
    }
    this.#lately = [new Map(items.map((item) => [item.identifier, item])), ...this.#lately].slice(0, 3);
    return { items, problems: round.problems, lost: round.lost, unknownDeletions: round.unknown };
  }

  /** Of these entries only files that have no item yet, or whose item has come since. */
  assembleFiles(statements: readonly Statement[]): Promise<Assembled> {
    const { set } = this.#making;
    return this.assemble(
      statements.filter((statement) => placeOf(statement, set).role === 'file'),
      true,
    );
  }

  /**
   * Files that are listed, as items of their own where everything that stated them is listed no more.
   * @param files what they were stated by, by address
   */
  async ofTheirOwn(files: ReadonlyMap<string, readonly string[]>): Promise<readonly SourceItem[]> {
    const stating = await this.#making.holdings.stating([...files.keys()]);
    const owners = new Set([...stating.values(), ...files.values()].flat());
    const held = await this.#held([...owners, ...files.keys()]);
    const round = new Round(held, stating, 'kept', none);
    for (const [url, unmet] of files) {
      const others = (stating.get(url) ?? []).filter((one) => !unmet.includes(one));
      if (others.some((one) => (held.get(one)?.metadata.length ?? 0) > 0)) continue;
      const file = unmet.flatMap((one) => held.get(one)?.files.find((known) => known.url === url) ?? [])[0];
      if (file) takeAlone(round.draft(url), file);
    }
    return round.drafts().flatMap((draft) => draft.finish(this.#making.withFiles) ?? []);
  }

  /** Items without these files, which are gone. */
  async without(files: ReadonlyMap<string, readonly string[]>): Promise<readonly SourceItem[]> {
    const round = new Round(await this.#held(files.keys()), new Map(), 'kept', none);
    for (const [identifier, urls] of files) {
      for (const url of urls) round.draft(identifier).removedFiles.add(url);
    }
    return round.drafts().flatMap((draft) => draft.finish(this.#making.withFiles) ?? []);
  }

  async #open(entries: readonly { statement: Statement; placed: Placed }[]): Promise<Round> {
    const { holdings, reading } = this.#making;
    const unplaced = entries.filter(
      ({ statement, placed }) => placed.role !== 'metadata' || statement.change === 'deleted',
    );
    const urls = unplaced.map(({ statement }) => statement.loc);
    const stating = new Map(await holdings.stating(urls));
    for (const url of urls) {
      const late = this.#statingLately(url);
      if (late.length > 0) stating.set(url, [...new Set([...(stating.get(url) ?? []), ...late])]);
    }
    const identifiers = new Set<string>();
    for (const { statement, placed } of entries) {
      identifiers.add(placed.identifier ?? statement.loc);
      if (statement.change === 'deleted') identifiers.add(statement.loc);
    }
    for (const some of stating.values()) for (const identifier of some) identifiers.add(identifier);
    const held = await this.#held(identifiers);
    return new Round(held, stating, undescribed[reading], await this.#damaged([...held.values()]));
  }

  async #damaged(items: readonly HeldItem[]): Promise<ReadonlySet<string>> {
    const { mends, holdings } = this.#making;
    if (!mends) return none;
    const hashes = items.flatMap(({ metadata }) => metadata.flatMap(({ hash }) => hash ?? []));
    return holdings.damaged([...new Set(hashes)]);
  }

  async #held(identifiers: Iterable<string>): Promise<ReadonlyMap<string, HeldItem>> {
    const all = [...identifiers];
    const held = new Map(await this.#making.holdings.items(all));
    for (const identifier of all) {
      const late = this.#lateItem(identifier);
      if (late && !late.deleted) held.set(identifier, withDelivered(held.get(identifier), late));
    }
    return held;
  }

  #statingLately(url: string): readonly string[] {
    return this.#lately.flatMap((items) =>
      [...items.values()].flatMap(({ identifier, files }) =>
        files.some((file) => file.url === url) ? identifier : [],
      ),
    );
  }

  #lateItem(identifier: string): SourceItem | undefined {
    return this.#lately.find((items) => items.has(identifier))?.get(identifier);
  }

  async #takeMetadata(
    round: Round,
    { statement, placed }: { statement: Statement; placed: Placed },
  ): Promise<void> {
    if (statement.change === 'deleted') return;
    const { formats, collections: wanted, port, isAllowed, withPast } = this.#making;
    const { loc, hashes, lastmod, length, type } = statement;
    const draft = round.draft(placed.identifier ?? loc);
    const held = draft.held?.metadata.find(({ upstreamUrl }) => upstreamUrl === loc);
    const collections = hrefs(statement, 'collection').map(collectionKey);
    if (!isSelected(collections, wanted)) {
      if (held) draft.removed.add(held.format);
      return;
    }
    const format = held?.format ?? draft.freeName(formatName(statement, placed), loc);
    if (formats !== undefined && !formats.includes(format)) return;
    const [profile] = hrefs(statement, 'profile');
    const [via] = hrefs(statement, 'via');
    const facts = {
      format,
      ...(type !== undefined && { mediaType: type }),
      ...(profile !== undefined && { profile }),
      upstreamUrl: loc,
      via: via ?? loc,
      ...(lastmod !== undefined && { lastModified: lastmod }),
    };
    const sha256 = held?.hash;
    const isSame =
      this.#making.reading !== 'anew' &&
      sha256 !== undefined &&
      !round.damaged.has(sha256) &&
      held?.length !== undefined &&
      (length === undefined || length === held.length) &&
      (hashes.includes(sha256) ||
        (!hashes.some(isSha256) && lastmod !== undefined && lastmod === held.lastmod));
    if (isSame && sha256 !== undefined && held?.length !== undefined) {
      draft.same.push({ ...facts, hash: sha256, length: held.length });
    } else {
      if (!isAllowed(loc)) {
        round.fail(
          draft.identifier,
          format,
          `${loc} is at another host than its Source, which \`resourcesync.hosts\` does not name`,
        );
        return;
      }
      const payload = await fetchPayload(statement, port);
      if (payload.kind === 'failed') {
        // Deleted since it was listed, and nobody has heard of it.
        if (payload.isGone && held === undefined) return;
        round.fail(draft.identifier, format, payload.reason);
        this.#failures += 1;
        if (this.#failures >= failuresInARow)
          throw new BridgeError(
            'upstream-status',
            `${this.#failures} resources in a row could not be read, the last because ${payload.reason}`,
            { retryable: true },
          );
        return;
      }
      this.#failures = 0;
      if (payload.kind === 'withheld') {
        if (this.#hidden.size < mostHidden)
          for (const url of hrefs(statement, 'describes')) this.#hidden.add(url);
        if (held) draft.refuse(format);
        return;
      }
      const metadata = { ...facts, content: payload.content, hash: payload.sha256 };
      draft.metadata.push(metadata);
      const { timeMap } = payload;
      if (withPast && held === undefined && timeMap !== undefined) draft.withPast.push({ metadata, timeMap });
    }
    draft.describedAtLast();
    draft.describe(hrefs(statement, 'describes'), lastmod, collections);
  }

  #takeFile(round: Round, statement: Statement, placed: Placed, takesLost: boolean): void {
    const { loc } = statement;
    const owners = round.takeFile(statement, placed);
    // Another bridge lists no file without its metadata.
    if (this.#making.reading === 'list' && placed.house === undefined) {
      for (const owner of owners) this.forsaken.await(loc, [owner]);
    }
    if (owners.length > 0 || this.#hidden.has(loc) || this.#hidden.size >= mostHidden) return;
    if (takesLost) this.#takePlain(round, statement, { ...placed, identifier: loc });
    else round.lost.push(statement);
  }

  /** Nothing describes it any more, and it is still there. */
  #takeForsaken(round: Round, isGone: (url: string) => boolean): void {
    for (const { draft, file } of round.forsaken(isGone)) {
      const own = round.draft(file.url);
      takeAlone(own, file);
      own.collections ??= draft.held?.collections;
    }
  }

  #takePlain(round: Round, statement: Statement, placed: Placed): void {
    const { collections: wanted } = this.#making;
    const { loc, type, lastmod } = statement;
    const draft = round.draft(placed.identifier ?? loc);
    const collections = hrefs(statement, 'collection').map(collectionKey);
    if (!isSelected(collections, wanted)) {
      if (draft.held) draft.removed.add(plainFormat.name);
      return;
    }
    const [via = loc] = hrefs(statement, 'via');
    const { name: format, profile } = plainFormat;
    draft.metadata.push({ format, profile, content: plainRecord({ loc, type }), via });
    draft.files.set(loc, statedFile(statement, placed, 1));
    draft.describe([loc], lastmod, collections);
  }

  async #readPast(draft: ItemDraft): Promise<void> {
    const { port, isAllowed } = this.#making;
    const known = this.#lateItem(draft.identifier)?.versions ?? [];
    const versions = await readPast(draft.withPast, known, port, isAllowed);
    if (versions.length > 0) draft.versions = versions;
  }

  /** As many at a time as the host may be asked. */
  async #inTurns<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
    const { atOnce } = this.#making;
    for (let next = 0; next < all.length; next += atOnce) {
      await Promise.all(all.slice(next, next + atOnce).map(work));
    }
  }
}

const none: ReadonlySet<string> = new Set();
const mostHidden = 100_000;

/** Its own address, and what it describes. */
function namedBy(statement: Statement): readonly string[] {
  return [statement.loc, ...hrefs(statement, 'describes')];
}

/** A file that is in store, as an item of its own. */
function takeAlone(draft: ItemDraft, file: SourceFile): void {
  const { url, mediaType, via = url } = file;
  const { name: format, profile } = plainFormat;
  const content = plainRecord({ loc: url, type: mediaType });
  // It may take the place of a record, whose address would stay.
  draft.metadata.push({ format, profile, content, via, upstreamUrl: url });
  draft.files.set(url, { ...file, sequence: 1 });
  draft.described = [url];
}

function isSha256(hash: string): boolean {
  return hash.startsWith('sha-256:');
}

function isSelected(collections: readonly string[], wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || collections.length === 0) return true;
  return collections.some((key) => wanted.some((chosen) => key === chosen || key.startsWith(`${chosen}:`)));
}
