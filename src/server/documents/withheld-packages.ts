import type { Packed } from '../../publish/published/publication.ts';
import { judgePackage } from '../../publish/published/withheld-packages.ts';
import type { ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';

/**
 * A package, or its manifest, is handed out as long as everything in it may be; that is asked at every request.
 * @throws Refusal `gone`, or `not-ready` where a file is only withheld until its repository has made up its mind
 */
export async function refuseWithheld(
  deps: Pick<ServerDeps, 'database' | 'mementosOf' | 'setsOf' | 'jointSets' | 'privacy'>,
  path: string,
  packed: Packed,
): Promise<void> {
  const source = packed.set.split('/', 1)[0] ?? packed.set;
  // A set across sources is no source: each of its members has a rule of its own.
  const rule = { ofDeleted: packed.isJoint || (deps.mementosOf?.(source)?.ofDeleted ?? true) };
  const sets = packed.isJoint ? (deps.jointSets?.() ?? []) : deps.setsOf(source);
  // What is configured no more may hold anything of its source.
  const set = sets.find((one) => one.path === packed.set) ?? { source, filter: {} };
  const verdict = await judgePackage(deps.database.reader, set, packed, rule, deps.privacy?.names());
  if (verdict === 'open') return;
  if (verdict === 'withdrawn') {
    throw new Refusal(
      'gone',
      `${path} holds something that is not public any more; it is built again without it, at another address that the list of packages will name`,
    );
  }
  throw new Refusal(
    'not-ready',
    `${path} holds a file that its repository refuses at present; the package is available again when the file is, or has been deleted`,
    { 'retry-after': '600' },
  );
}
