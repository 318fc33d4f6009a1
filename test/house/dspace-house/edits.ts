import type { Bitstream, Item } from '../dspace/model.ts';
import type { Repository } from '../dspace/repository.ts';

/** Something that people do to a repository, or that happens to it. */
export const editKinds = [
  'add item',
  'edit metadata',
  'add file',
  'add to another bundle',
  'remove file',
  'replace file',
  'rename file',
  'restrict file',
  'open file',
  'embargo file for long',
  'embargo file until yesterday',
  'embargo file until tomorrow',
  'withdraw',
  'reinstate',
  'make private',
  'make discoverable',
  'restrict item',
  'open item',
  'embargo item for long',
  'embargo item until yesterday',
  'embargo item until tomorrow',
  'delete',
  'new version',
  'move',
  'map',
  'unmap',
  'rename collection',
  'relate',
  'close bundle',
  'close bundle',
  'unlock bundle',
  'close collection',
  'unlock collections',
  'close community',
] as const;

export type EditKind = (typeof editKinds)[number];

export interface Edit {
  readonly kind: EditKind;
  /** Which of those that it can be done to. */
  readonly pick: number;
}

const day = 86_400_000;

/** Does what can be done of it; every edit is one that an administrator could have made. */
export function apply(repository: Repository, { kind, pick }: Edit): void {
  const dayFrom = (days: number) => new Date(repository.now() + days * day).toISOString().slice(0, 10);
  const chosen = <T>(from: readonly T[]): T | undefined => from[pick % Math.max(1, from.length)];
  const item = chosen(repository.items.filter(({ withdrawn }) => withdrawn === (kind === 'reinstate')));
  const collection = chosen(repository.collections);
  if (item === undefined || collection === undefined) return;
  const file = chosen(item.files);
  const read = readPolicy(kind, dayFrom);
  if (read !== undefined) {
    if (kind.includes('item')) repository.setRead(item, read);
    else if (file !== undefined) repository.setBitstreamRead(file.uuid, read);
    return;
  }
  if (kind.endsWith('file')) editFile(repository, item, file, { kind, pick });
  else editItem(repository, item, { kind, pick });
}

function readPolicy(kind: EditKind, dayFrom: (days: number) => string) {
  if (kind.startsWith('restrict')) return { groups: ['staff'] };
  if (kind.startsWith('open')) return 'anonymous' as const;
  if (!kind.startsWith('embargo')) return undefined;
  const days = kind.endsWith('long') ? 9000 : kind.endsWith('yesterday') ? -1 : 1;
  return { embargoUntil: dayFrom(days) };
}

function editFile(
  repository: Repository,
  item: Item,
  file: Bitstream | undefined,
  { kind, pick }: Edit,
): void {
  if (kind === 'add file') {
    repository.addBitstream(item, { name: `added ${pick}.pdf`, content: `added ${pick}` });
  } else if (file === undefined) {
    return;
  } else if (kind === 'remove file') repository.removeBitstream(item, file.uuid);
  else if (kind === 'replace file') repository.replaceBitstream(item, file.uuid, `replaced ${pick}`);
  else repository.editBitstream(file.uuid, { name: `renamed ${pick}.pdf` });
}

function editItem(repository: Repository, item: Item, { kind, pick }: Edit): void {
  const collection = repository.collections[pick % repository.collections.length] ?? item.collection;
  const mapped = item.mapped[pick % Math.max(1, item.mapped.length)];
  switch (kind) {
    case 'add item': {
      const added = repository.addItem(
        collection,
        titled(`Added ${pick}`),
        pick % 7 === 0 ? { handle: undefined } : {},
      );
      repository.addBitstream(added, { name: 'added.pdf', content: `of ${pick}` });
      break;
    }
    case 'edit metadata':
      repository.editMetadata(item, {
        'dc.title': [`Edited <${pick}> & more`],
        'dc.subject': pick % 2 ? [] : ['a'],
      });
      break;
    case 'add to another bundle':
      repository.addBitstream(item, { name: `${pick}.xml`, content: 'secret', bundle: 'METADATA' });
      break;
    case 'withdraw':
      repository.withdraw(item);
      break;
    case 'reinstate':
      repository.reinstate(item);
      break;
    case 'make private':
      repository.makePrivate(item);
      break;
    case 'make discoverable':
      repository.makeDiscoverable(item);
      break;
    case 'delete':
      repository.delete(item);
      break;
    case 'new version':
      if (item.isLatest) repository.newVersion(item, `summary ${pick}`);
      break;
    case 'move':
      repository.moveCollection(item, collection);
      break;
    case 'map':
      repository.map(item, collection);
      break;
    case 'unmap':
      if (mapped !== undefined) repository.unmap(item, mapped);
      break;
    case 'rename collection':
      repository.renameCollection(collection, `Renamed ${pick}`);
      break;
    case 'close bundle':
      repository.setBundleRead(item, pick % 3 === 0 ? 'LICENSE' : 'ORIGINAL', { groups: ['staff'] });
      break;
    case 'unlock bundle':
      repository.setBundleRead(item, 'ORIGINAL', 'anonymous');
      break;
    case 'close collection':
      collection.read = { groups: ['staff'] };
      break;
    case 'close community':
      collection.parent.read = { groups: ['staff'] };
      break;
    case 'unlock collections':
      for (const each of repository.collections) each.read = each.parent.read = 'anonymous';
      break;
    case 'relate': {
      const other = repository.items[pick % repository.items.length];
      if (other !== undefined && other !== item && item.relationships === undefined)
        repository.relate(item, other);
      break;
    }
    default:
      throw new Error(`nobody knows how to ${kind}`);
  }
}

function titled(title: string) {
  return { 'dc.title': [{ value: title, language: 'en', authority: null, confidence: -1 }] };
}
