import { addSeconds, earlier } from '../../../src/core/datetime.ts';
import { gapSince } from '../../../src/resourcesync/following/change-coverage.ts';
import {
  ChangeTimes,
  latest,
  overlapSeconds,
  reached,
  type TimedChanges,
} from '../../../src/resourcesync/following/change-times.ts';
import { readTree } from '../../../src/resourcesync/reading/list-tree.ts';
import type { Remarks } from '../../../src/resourcesync/reading/remarks.ts';
import type { DocumentOpening, Member } from '../../../src/resourcesync/reading/source-document.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import type { SourcePort } from '../../../src/resourcesync/source-port.ts';

/** The latest word on a resource. */
export interface LatestChange {
  readonly statement: Statement;
  /** In the Source's time. */
  readonly at: string;
  /** It was created since then: who has not got it has not missed it. */
  readonly isOfThisTime: boolean;
}

export interface LatestChanges {
  /** By address. */
  readonly changes: ReadonlyMap<string, LatestChange>;
  /** Up to when everything is known, in the Source's time; never before the one that was asked for. */
  readonly cursor: string;
  /** Why something may be missing; undefined: nothing is. */
  readonly gap: string | undefined;
}

/** They lie in memory together: with more, the whole list is as cheap. */
const mostChanges = 50_000;

/**
 * What has changed since a moment: of each resource the latest word, whatever the order of the documents.
 * @param uris of Change Lists, or of indexes of them
 * @throws BridgeError where one of them cannot be read at all
 */
export async function readChanges(
  uris: readonly string[],
  since: string,
  ports: { readonly port: SourcePort; readonly remarks: Remarks; readonly now: string },
): Promise<LatestChanges> {
  const gathering = new Gathering(since, ports.now);
  for (const uri of uris) {
    const read = await readTree(ports.port, uri, gathering, ports.remarks);
    const [first] = read?.faults ?? [];
    if (first !== undefined) gathering.missing(`${first.uri} cannot be read: ${first.reason}`);
  }
  return gathering.finish();
}

class Gathering {
  readonly capability = 'changelist';
  readonly #since: string;
  readonly #from: string;
  readonly #now: string;
  readonly #changes = new Map<string, LatestChange>();
  readonly #documents: TimedChanges[] = [];
  #current: ChangeTimes | undefined;
  #fault: string | undefined;
  #clock: string | undefined;

  constructor(since: string, now: string) {
    this.#since = since;
    this.#from = addSeconds(since, -overlapSeconds);
    this.#now = now;
  }

  /** What ended long before is covered, and need not be read. */
  readonly wants = ({ times }: Pick<Member, 'times'>): boolean => {
    if (times.until === undefined || times.until >= this.#from) return true;
    this.#documents.push({ ...times, oldest: undefined, newest: undefined });
    return false;
  };

  readonly opened = (document: DocumentOpening, servedAt?: string): void => {
    this.#close();
    this.#current = new ChangeTimes(document, this.#since);
    this.#clock = latest(this.#clock, servedAt);
  };

  readonly statement = (statement: Statement): void => {
    // Local time that calls itself UTC lies in the future.
    const at = earlier(this.#current?.timeOf(statement) ?? this.#since, this.#clock ?? this.#now);
    if (at < this.#from) return;
    const { loc, change } = statement;
    const before = this.#changes.get(loc);
    const isOfThisTime = before?.isOfThisTime === true || change === 'created';
    if (before !== undefined && before.at > at) {
      if (isOfThisTime) this.#changes.set(loc, { ...before, isOfThisTime });
      return;
    }
    if (before === undefined && this.#changes.size >= mostChanges) {
      this.missing(`there are more than ${mostChanges} changes since ${this.#since}`);
      return;
    }
    this.#changes.set(loc, { statement, at, isOfThisTime });
  };

  missing(reason: string): void {
    this.#fault ??= reason;
  }

  finish(): LatestChanges {
    this.#close();
    const gap = this.#fault ?? gapSince(this.#since, this.#documents);
    const clock = this.#clock ?? this.#now;
    const cursor = this.#fault === undefined ? reached(this.#since, this.#documents, clock) : this.#since;
    return { changes: this.#changes, cursor, gap };
  }

  #close(): void {
    if (this.#current) this.#documents.push(this.#current.covered());
    this.#current = undefined;
  }
}
