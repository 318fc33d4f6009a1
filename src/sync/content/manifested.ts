import type { MemberPlace } from '../../resourcesync/packages/small-member.ts';
import type { Statement } from '../../resourcesync/reading/statement.ts';
import type { DueResource } from '../state/due-resources.ts';

/** What is kept of what a manifest says of a member. */
export interface Manifested extends Pick<Statement, 'loc' | 'hashes' | 'length' | 'lastmod' | 'type'> {
  readonly place: MemberPlace;
  /** Of what comes at once; undefined: it is looked for among what is due. */
  readonly due: DueResource | undefined;
}

/** What many have in common is kept once: of so many texts. */
const mostCommon = 10_000;

/** Members that a manifest names and its package has. */
export class ManifestedMembers {
  readonly #members: ReadonlyMap<string, MemberPlace>;
  readonly #common = new Map<string, string>();
  #found: Manifested[] = [];

  /** @param members of the package, by name */
  constructor(members: ReadonlyMap<string, MemberPlace>) {
    this.#members = members;
  }

  get count(): number {
    return this.#found.length;
  }

  /** What is kept of a statement holds no piece of the manifest back. */
  lean(statement: Statement): Statement {
    const { loc, hashes, lastmod, type } = statement;
    return {
      ...statement,
      loc: own(loc),
      hashes: hashes.map(own),
      lastmod: this.#commonly(lastmod),
      type: this.#commonly(type),
    };
  }

  /**
   * @param statement that is lean
   * @returns false: it is not in the package
   */
  add({ loc, path, hashes, length, lastmod, type }: Statement, due?: DueResource): boolean {
    const name = path?.startsWith('/') ? path.slice(1) : path;
    const place = name === undefined ? undefined : this.#members.get(name);
    if (place === undefined) return false;
    this.#found.push({ loc, hashes, length, lastmod, type, place, due });
    return true;
  }

  /** Those that were added since. */
  takeAll(): readonly Manifested[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #commonly(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const known = this.#common.get(text);
    if (known !== undefined) return known;
    const kept = own(text);
    if (this.#common.size < mostCommon) this.#common.set(kept, kept);
    return kept;
  }
}

/** A text that is cut from another one keeps all of that in memory. */
function own(text: string): string {
  return Buffer.from(text).toString();
}
