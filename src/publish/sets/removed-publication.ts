import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readPointerNumbers, removePointerRow } from '../../store/objects/published-pointers.ts';
import { bucketAt } from '../bucket/published-bucket.ts';
import { noteSwitch } from '../bucket/switches.ts';
import { publicationRoot } from '../published/publication.ts';

/**
 * Removes all that was published of a source, wherever it is; what is in the bucket is deleted with the next removal of
 * what nothing refers to.
 * @param directory the data directory
 */
export async function removePublished(directory: string, source: string): Promise<void> {
  const root = publicationRoot(directory);
  const ofAll = bucketAt(root)?.bucket;
  if (ofAll) {
    const { database, now } = ofAll.settings;
    const dueAt = now();
    for (const [set, number] of await readPointerNumbers(database.writer)) {
      if (set !== source && !set.startsWith(`${source}/`)) continue;
      const bucket = ofAll.of(join(root, ...set.split('/')));
      const dooms: { key: string; dueAt: string }[] = [];
      for (const prefix of bucket.prefixes()) {
        for await (const { key } of bucket.store.list(prefix)) dooms.push({ key, dueAt });
        await ofAll.cache.remove(prefix);
      }
      await removePointerRow(database, set, number, dooms);
      noteSwitch();
    }
  }
  await rm(join(root, source), { recursive: true, force: true });
}
