import type { Problem } from '../../../src/core/adapter.ts';
import { addSeconds, longAgo, parseHttpDate } from '../../../src/core/datetime.ts';
import { type BridgeError, describeError, isBridgeError } from '../../../src/core/errors.ts';
import { overlapSeconds } from '../../../src/resourcesync/following/change-times.ts';
import { headOf } from '../../../src/resourcesync/reading/document-head.ts';
import { type Moment, momentOf, skewSeconds } from '../../../src/resourcesync/reading/stated-time.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { isHopeless } from '../reading/hopeless.ts';
import { type LatestChanges, readChanges } from '../reading/latest-changes.ts';
import { StatementFlow } from '../reading/statement-flow.ts';
import type { FollowedSet } from './followed-set.ts';

/**
 * Everything that a Source has now: its Resource Lists, brought up to date by the changes since they were made, so that
 * what came after them is not taken for absent, nor what went for there.
 */
export class ListedResources {
  /** Of the lists; undefined: there are none. */
  readonly at: string | undefined;
  /** Where the next look at the changes begins. */
  readonly cursor: string;
  /** Entries of the lists that were read. */
  entries = 0;
  readonly #followed: FollowedSet;
  readonly #changes: LatestChanges | undefined;
  readonly #doubts: string[] = [];

  static async open(followed: FollowedSet): Promise<ListedResources> {
    const { set, port, remarks, now } = followed;
    const { resourcelist, changelist } = set.lists;
    const times = await Promise.all(
      resourcelist.map(async (uri) => {
        try {
          const head = await headOf(uri, port, remarks.at(uri));
          return head.times.at;
        } catch (error) {
          // One of several may be read without it; reading says so.
          if (set.robots === undefined || !isBridgeError(error) || isHopeless(error)) throw error;
          return undefined;
        }
      }),
    );
    const served = (await serverTime(followed)) ?? now();
    const stated = times.flatMap((time) => time ?? []).sort()[0];
    const [first] = resourcelist;
    const moment = first === undefined ? undefined : momentOf(stated, served, remarks.at(first));
    const at = moment?.since;
    const changes =
      changelist.length === 0
        ? undefined
        : await readChanges(changelist, at ?? longAgo, { port, remarks, now: now() });
    const listed = new ListedResources(followed, moment, changes, served);
    listed.#doubts.push(...(set.robots?.faults ?? []).map((fault) => `a Sitemap was not read: ${fault}`));
    if (at === longAgo && changes !== undefined)
      listed.#doubts.push(
        `its Resource List says that it was made at ${stated}, which is yet to come: how old it is cannot be told`,
      );
    return listed;
  }

  private constructor(
    followed: FollowedSet,
    moment: Moment | undefined,
    changes: LatestChanges | undefined,
    served: string,
  ) {
    const at = moment?.since;
    this.#followed = followed;
    this.#changes = changes;
    this.at = at;
    this.cursor = changes?.cursor ?? moment?.known ?? served;
    // A list of a moment ago needs no changes.
    const isFresh = at !== undefined && at >= addSeconds(served, -overlapSeconds);
    if (changes?.gap !== undefined && !isFresh) this.#doubts.push(changes.gap);
    if (at === undefined)
      this.#doubts.push('the Source has no Resource List: what is missing from its changes proves nothing');
  }

  async *statements(): AsyncGenerator<Statement> {
    const changes = this.#changes?.changes;
    const at = this.at ?? longAgo;
    const met = new Set<string>();
    for await (const statement of this.#listed()) {
      this.entries += 1;
      const change = changes?.get(statement.loc);
      if (change === undefined || change.at < at) yield statement;
      else if (!met.has(statement.loc)) {
        met.add(statement.loc);
        yield change.statement;
      }
    }
    for (const [loc, { statement, at: changedAt }] of changes ?? []) {
      if (changedAt >= at && !met.has(loc)) yield statement;
    }
  }

  /** What the lists have, one after the other; of the Sitemaps of a robots.txt, what those have that can be read. */
  async *#listed(): AsyncGenerator<Statement> {
    const { set, port, remarks } = this.#followed;
    const read = new Set<string>();
    let failure: BridgeError | undefined;
    let count = 0;
    for (const uri of set.lists.resourcelist) {
      // It may be a part of an index that was there before.
      if (read.has(uri)) continue;
      const flow = new StatementFlow(port, read);
      try {
        yield* flow.statements(uri, remarks);
        count += 1;
      } catch (error) {
        if (set.robots === undefined || !isBridgeError(error) || isHopeless(error)) throw error;
        failure ??= error;
        this.#doubts.push(`a Sitemap was not read to its end: ${describeError(error)}`);
      }
      for (const { uri: part, reason, isOtherMoment } of flow.read?.faults ?? [])
        this.#doubts.push(
          isOtherMoment ? `${part}: ${reason}` : `${part} was not read to its end: ${reason}`,
        );
    }
    if (failure !== undefined && count === 0) throw failure;
  }

  /** What keeps absences from counting, once everything was read. */
  doubts(hasItems: boolean): readonly Problem[] {
    const isEmpty = this.at !== undefined && this.entries === 0 && hasItems;
    const all = isEmpty ? [...this.#doubts, 'its Resource List is empty'] : this.#doubts;
    return all.slice(0, 20).map((message) => ({ code: 'list-doubtful', message }));
  }
}

/** Whether the Source could have said this of a time that is over. */
export async function isYetToCome(followed: FollowedSet, moment: string): Promise<boolean> {
  if (moment <= addSeconds(followed.now(), skewSeconds)) return false;
  const served = await serverTime(followed);
  return served !== undefined && moment > addSeconds(served, skewSeconds);
}

/** The clock of the Source, at the price of a request. */
async function serverTime({ set, port }: FollowedSet): Promise<string | undefined> {
  const response = await port.get(set.uri, 'document');
  await response.discard();
  const { date } = response.headers;
  return date === undefined ? undefined : parseHttpDate(date);
}
