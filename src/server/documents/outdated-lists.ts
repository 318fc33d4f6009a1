import { parseStamp } from '../../core/datetime.ts';
import { sourcesOf } from '../../core/resource-set.ts';
import { mayName, type PublishedDocument } from '../../publish/published/publication.ts';
import { listPrivateScopes } from '../../store/removal/private-items.ts';
import { isBeforeWithdrawal } from '../../store/removal/withdrawals.ts';
import type { ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';

const namesSources = /\/(?:resource|change)list[./-]|^\.well-known\/resourcesync/;

/**
 * What a set across sources, or the Source Description, has told of a source stays until that is published without it; where the
 * source is private meanwhile, it is not handed out.
 * @throws Refusal `not-ready`
 */
export function refuseOfPrivate(
  { privacy }: Pick<ServerDeps, 'privacy'>,
  { path, named }: PublishedDocument,
): void {
  if (!named || !namesSources.test(path) || !mayName(named, privacy?.names() ?? [])) return;
  throw new Refusal(
    'not-ready',
    `${path} is of a time before a source that it names became private; it is written anew without that`,
    { 'retry-after': '10' },
  );
}

/**
 * A Resource List of before something was withdrawn, or became private, names it, and nobody writes it anew: it is in no archive any
 * more with the next publication, and not handed out until then.
 * @throws Refusal `gone`
 */
export async function refuseArchived(
  deps: ListDeps & Pick<ServerDeps, 'baseUrl'>,
  { path, archivedAt }: PublishedDocument,
): Promise<void> {
  if (archivedAt === undefined) return;
  if (!(await isBeforeWithdrawal(deps.database.reader, sourcesAt(deps, path), archivedAt))) return;
  const list = `${deps.baseUrl}/${path.replace(/\/resourcelist\/.*$/, '/resourcelist.xml')}`;
  throw new Refusal(
    'gone',
    `${path} may name what is not public any more; ${deps.baseUrl}/timemap/link/${list} leads to lists of earlier times without that`,
  );
}

type ListDeps = Pick<ServerDeps, 'database' | 'jointSets' | 'privacy' | 'publication'>;

const resourceList = /^(.+)\/resourcelist(?:[.-]|\/([^/.-]+)[/.-])/;

/** Whether a document may have to be refused though it is the one that is published. */
export function mayBeOutdated({ privacy }: Pick<ServerDeps, 'privacy'>, path: string): boolean {
  return (privacy?.divided?.() ?? []).length > 0 && resourceList.test(path);
}

/**
 * A Resource List names what lived when it was written. One of before some of it became private by the configuration is not
 * handed out: the next one is without that.
 * @throws Refusal `not-ready`
 */
export async function refuseOutdated(deps: ListDeps, path: string): Promise<void> {
  if (!mayBeOutdated(deps, path)) return;
  const [, set = '', stamp] = resourceList.exec(path) ?? [];
  const sources = sourcesAt(deps, path);
  const scopes = await listPrivateScopes(deps.database.reader);
  const hidden = scopes.flatMap(({ source, hiddenAt }) => (sources.includes(source) ? (hiddenAt ?? []) : []));
  if (hidden.length === 0) return;
  const at = (stamp === undefined ? undefined : parseStamp(stamp)) ?? (await currentOf(deps, set)) ?? '';
  if (hidden.every((moment) => moment < at)) return;
  throw new Refusal(
    'not-ready',
    `${path} is of a time before something in it became private; the list is written anew without that`,
    { 'retry-after': '10' },
  );
}

async function currentOf({ publication }: ListDeps, set: string): Promise<string | undefined> {
  const published = await publication.set(set);
  return published?.documents.find(({ path }) => path === `${set}/resourcelist.xml`)?.at;
}

function sourcesAt({ jointSets }: Pick<ServerDeps, 'jointSets'>, path: string): readonly string[] {
  const joint = jointSets?.().find((set) => path.startsWith(`${set.path}/`));
  return sourcesOf(joint ?? { source: path.split('/', 1)[0] ?? path });
}
