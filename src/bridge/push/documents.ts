import {
  setPaths,
  siteDescriptionPart,
  siteDescriptionPath,
} from '../../publish/documents/document-paths.ts';
import {
  type DocumentChange,
  renderFrameworkNotification,
} from '../../publish/documents/framework-notification.ts';
import type { PublishedFacts } from '../../publish/published/publication.ts';
import { putNotification } from '../../store/push/notifications.ts';
import { advanceTopic, holdTopic, type Topic } from '../../store/push/topics.ts';
import type { Bridge } from '../bridge.ts';
import type { OpenChannel } from './channels.ts';

/** What is known of a document: another text for another version of it. */
type Known = Readonly<Record<string, string>>;

/**
 * Tells of documents of a set that there are now, or that are others now, and of the Source Description, of whose changes every set
 * tells (FN-08). A Change List that is open grows with each change, which the other channel tells of: here it is told of when it opens,
 * and when it has closed.
 * @returns whether anything was told
 */
export async function tellOfDocuments(
  { config, database, publication }: Pick<Bridge, 'config' | 'database' | 'publication'>,
  { resources: set }: OpenChannel,
  topic: Topic,
  { now, at }: { readonly now: number; readonly at: string },
): Promise<boolean> {
  const published = await publication.set(set.path);
  if (!published) return false;
  const paths = setPaths(set);
  const next = Object.fromEntries([
    ...published.documents.flatMap((document) => knownOf(document, paths)),
    ...(await descriptionsOf(publication)),
  ]);
  const before = topic.known === undefined ? undefined : (JSON.parse(topic.known) as Known);
  const known = JSON.stringify(next);
  if (known === topic.known) return false;
  const isIndex = async (path: string) => {
    const { at: stamp } = published.documents.find((one) => one.path === path) ?? {};
    if (path !== paths.resourceList || stamp === undefined) return undefined;
    const part = paths.resourceListPart(stamp, 1);
    return (await publication.find(part)) ? part : undefined;
  };
  const changes: DocumentChange[] = [];
  for (const [path, stamp] of before ? Object.entries(next) : []) {
    const former = before?.[path];
    if (former === stamp) continue;
    const [capability = ''] = stamp.split(' ');
    const part = await isIndex(path);
    const index = part === undefined ? indexOf(path, paths) : path;
    const isNew = former === undefined || capability === 'resourcedump';
    changes.push({
      path: part ?? path,
      capability,
      change: isNew ? 'created' : 'updated',
      datetime: at,
      index,
    });
  }
  for (const [path, stamp] of before ? Object.entries(before) : []) {
    if (next[path] !== undefined) continue;
    const [capability = ''] = stamp.split(' ');
    const isThere = (await publication.find(path)) !== undefined;
    const index = indexOf(path, paths);
    // A list that was open, and is another one now, has closed: that was its last change.
    if (capability === 'changelist' && isThere)
      changes.push({ path, capability, change: 'updated', datetime: at, index });
    if (capability === 'description' && !isThere)
      changes.push({ path, capability, change: 'deleted', datetime: at });
  }
  return database.transaction(async (trx) => {
    const held = await holdTopic(trx, topic.id);
    if (!held || held.known !== topic.known) return false;
    for (const [up, some] of byParent(changes, paths)) {
      const content = Buffer.from(renderFrameworkNotification(config.baseUrl, up, some));
      await putNotification(
        trx,
        topic.id,
        { mediaType: 'application/xml', content, entries: some.length },
        now,
      );
    }
    await advanceTopic(trx, topic.id, { known });
    return changes.length > 0;
  });
}

/** Of all sets together: one document, or the parts of an index (FN-05). */
async function descriptionsOf(publication: Bridge['publication']): Promise<readonly [string, string][]> {
  const found: [string, string][] = [];
  for (let part = 1; ; part += 1) {
    const path = siteDescriptionPart(part);
    const document = await publication.find(path);
    if (!document) break;
    found.push([path, `description ${document.plain.etag}`]);
  }
  if (found.length > 0) return found;
  const whole = await publication.find(siteDescriptionPath);
  return whole ? [[siteDescriptionPath, `description ${whole.plain.etag}`]] : [];
}

/** FN-05: the index that a document is listed in. */
function indexOf(path: string, { changeListIndex }: ReturnType<typeof setPaths>): string | undefined {
  if (path.startsWith(`${siteDescriptionPath}-`)) return siteDescriptionPath;
  return path.includes('/changelist/') ? changeListIndex : undefined;
}

function knownOf(
  { path, capability, at, lastModified, entries }: PublishedFacts,
  { changeListIndex, flatChangeList, listsOnly, listsOnlyDescription }: ReturnType<typeof setPaths>,
): readonly [string, string][] {
  if ([changeListIndex, flatChangeList, listsOnly, listsOnlyDescription].includes(path)) return [];
  if (!told.has(capability)) return [];
  // It is open, and told of once.
  if (capability === 'changelist') return [[path, capability]];
  return [[path, `${capability} ${at ?? lastModified} ${entries}`]];
}

/** FN-04. */
const told: ReadonlySet<string> = new Set([
  ...['resourcelist', 'changelist', 'resourcedump', 'changedump', 'capabilitylist', 'description'],
  ...['resourcelist-archive', 'changelist-archive', 'resourcedump-archive', 'changedump-archive'],
]);

/** FN-02: what a Capability List names is below it, that is below the Source Description, which is below nothing. */
function byParent(
  changes: readonly DocumentChange[],
  { capabilityList }: ReturnType<typeof setPaths>,
): readonly (readonly [string | undefined, readonly DocumentChange[]])[] {
  const parentOf = ({ capability }: DocumentChange) =>
    capability === 'description'
      ? undefined
      : capability === 'capabilitylist'
        ? siteDescriptionPath
        : capabilityList;
  const groups = new Map<string | undefined, DocumentChange[]>();
  for (const change of changes)
    groups.set(parentOf(change), [...(groups.get(parentOf(change)) ?? []), change]);
  return [...groups];
}
