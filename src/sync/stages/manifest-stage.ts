import { describeError, isBridgeError } from '../../core/errors.ts';
import { type Capability, refuseOtherKind, refuseSilence } from '../../resourcesync/reading/capability.ts';
import { fetchDocument } from '../../resourcesync/reading/fetched-document.ts';
import type {
  DocumentOpening,
  Member,
  StatementHandler,
} from '../../resourcesync/reading/source-document.ts';
import { earlierMoment, type Moment, momentOf } from '../../resourcesync/reading/stated-time.ts';
import type { Statement } from '../../resourcesync/reading/statement.ts';
import { Following, type StagedChanges } from './change-stage.ts';
import { listPackages } from './dump-stage.ts';
import { Inventory, type StagedList } from './list-stage.ts';
import type { Staging } from './staging.ts';

/** Packages that were read to their ends, with the ends of their intervals. */
const readBefore = 'packages';

/**
 * Changes of a Source that offers them in packages alone: the manifests are the lists.
 * @param uris of Change Dumps or indexes of them
 * @throws BridgeError where one of them cannot be read at all
 */
export async function stageChangeDumps(
  uris: readonly string[],
  cursor: string,
  staging: Staging,
  since = cursor,
): Promise<StagedChanges> {
  const following = new Following(cursor, staging, since);
  const { database } = staging;
  const before = JSON.parse(database.setting(readBefore) ?? '{}') as Record<string, string>;
  const read: Record<string, string> = {};
  for (const uri of uris) {
    const { packages, empty, incomplete } = await listPackages(uri, 'changedump', staging, following.wants);
    if (incomplete !== undefined) following.missing(incomplete);
    // Who lists none says that nothing has changed.
    for (const times of empty) following.covered(times);
    for (const member of packages) {
      const { times } = member;
      // What is closed does not change: it was read when it was new.
      if (times.until !== undefined && before[member.uri] === times.until) {
        following.covered(times);
        read[member.uri] = times.until;
        continue;
      }
      const trouble = await readManifest(member, 'changedump-manifest', staging, undefined, {
        // What the dump says of a package stands in for a manifest that says nothing.
        opened: (document, servedAt) => {
          const { from = times.from, until = times.until } = document.times;
          following.opened({ ...document, times: { at: undefined, from, until } }, servedAt);
        },
        statement: following.statement,
      });
      if (trouble !== undefined) following.missing(trouble);
      else if (times.until !== undefined) read[member.uri] = times.until;
    }
  }
  database.keep(readBefore, JSON.stringify(read));
  return following.finish();
}

/**
 * The same of a Source that tells what there is in dumps alone.
 * @throws BridgeError where a dump cannot be read at all
 */
export async function stageResourceDumps(uris: readonly string[], staging: Staging): Promise<StagedList> {
  const inventory = new Inventory(staging);
  let at: Moment | undefined;
  let incomplete: string | undefined;
  for (const uri of uris) {
    const dump = await listPackages(uri, 'resourcedump', staging);
    incomplete ??= dump.incomplete;
    const dumped = dump.at ?? { known: dump.clock, since: dump.clock };
    for (const member of dump.packages) {
      let asOf = dumped;
      const { due } = inventory.tally;
      const hasAll = () => inventory.tally.due === due;
      const trouble = await readManifest(member, 'resourcedump-manifest', staging, hasAll, {
        opened: ({ times }, servedAt) => {
          const { at: stated } = times;
          if (stated !== undefined)
            asOf = momentOf(stated, servedAt ?? dump.clock, staging.remarks.at(member.uri));
        },
        statement: (statement) => inventory.stage(statement, asOf.since),
      });
      incomplete ??= trouble;
      at = earlierMoment(at, asOf);
    }
    at = earlierMoment(at, dumped);
  }
  const { known, since } = at ?? momentOf(undefined, staging.now(), () => undefined);
  if (incomplete === undefined) inventory.doomUnseen(since);
  inventory.lookAtOthers();
  return { ...inventory.tally, at: known, since, incomplete, validators: {} };
}

/**
 * Where the dump links to its manifest, without the package; the same where the package is known and nothing of it is missing.
 * @param hasAll whether everything that was told is in the copy; undefined: it is not known whether it is the same package
 * @returns why it could not be read
 */
async function readManifest(
  member: Member,
  capability: 'resourcedump-manifest' | 'changedump-manifest',
  { port, remarks, readPackage, packages }: Staging,
  hasAll: (() => boolean) | undefined,
  handler: StatementHandler,
): Promise<string | undefined> {
  const { contents, uri } = member;
  const where = contents ?? `${uri}!/manifest.xml`;
  const checked = new CheckedManifest(where, capability, handler);
  try {
    if (contents !== undefined) await fetchDocument(port, contents, checked, remarks.at(contents));
    else if (hasAll !== undefined && (await packages.read(member, checked))) {
      // What is to come is in the package, perhaps nowhere else.
      if (!hasAll()) return await readPackage?.(member, {});
    } else if (readPackage === undefined) return `what ${uri} holds is known when it has been fetched`;
    else {
      const keep = hasAll && ((packed: Uint8Array) => packages.keep(member, packed));
      const trouble = await readPackage(member, checked, keep);
      if (trouble !== undefined) return trouble;
    }
    checked.finish();
    return undefined;
  } catch (error) {
    if (!isBridgeError(error) || error.code === 'interrupted') throw error;
    return `${where}: ${describeError(error)}`;
  }
}

/** Hands on what a manifest of the right kind says. */
class CheckedManifest implements StatementHandler {
  readonly #uri: string;
  readonly #capability: Capability;
  readonly #handler: StatementHandler;
  #document: DocumentOpening | undefined;
  #statements = 0;

  constructor(uri: string, capability: Capability, handler: StatementHandler) {
    this.#uri = uri;
    this.#capability = capability;
    this.#handler = handler;
  }

  readonly opened = (document: DocumentOpening, servedAt?: string): void => {
    this.#document = document;
    refuseOtherKind(this.#uri, document, this.#capability);
    this.#handler.opened?.(document, servedAt);
  };

  readonly statement = (statement: Statement): void => {
    if (this.#statements === 0)
      refuseOtherKind(this.#uri, this.#document, this.#capability, statement.change !== undefined);
    this.#statements += 1;
    this.#handler.statement?.(statement);
  };

  finish(): void {
    if (this.#document) refuseSilence(this.#uri, this.#document, this.#statements, this.#capability);
  }
}
