import type { Packed } from '../publish/publication.ts';
import { holdsHeldBack, holdsWithheld } from '../store/withheld.ts';
import type { ServerDeps } from './deps.ts';
import { Refusal } from './errors.ts';

/**
 * A package, or its manifest, is handed out as long as everything in it may be. That is asked of the database at every
 * request, behind where the publication was looked at last: any process may have deleted something since, and building
 * packages again takes its time.
 * @throws Refusal `gone`, or `not-ready` where a file is only withheld until its repository has made up its mind
 */
export async function refuseWithheld(
  deps: Pick<ServerDeps, 'database' | 'mementosOf' | 'setsOf'>,
  path: string,
  { set: name, holds, check }: Packed,
): Promise<void> {
  const source = name.split('/', 1)[0] ?? name;
  const rule = { ofDeleted: deps.mementosOf?.(source)?.ofDeleted ?? true };
  // What is configured no more, or more strictly than when it was looked at, is suspected of everything.
  const set = deps.setsOf(source).find((one) => one.path === name) ?? { source, filter: {} };
  const since = check && (rule.ofDeleted || !check.ofDeleted) ? check.seq : 0;
  const { reader } = deps.database;
  if (await holdsHeldBack(reader, set, holds)) {
    throw new Refusal(
      'not-ready',
      `${path} holds a file that its repository does not hand out at present; it can be had again when that has been settled`,
      { 'retry-after': '600' },
    );
  }
  if (!(await holdsWithheld(reader, set, holds, since, rule))) return;
  throw new Refusal(
    'gone',
    `${path} holds something that is not public any more; it is built again without it, at another address that the list of packages will name`,
  );
}
