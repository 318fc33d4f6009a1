import { bucketAt } from '../bucket/published-bucket.ts';
import { isOnDisk } from '../bucket/published-files.ts';
import type { StoredDocument } from '../disk/pointer.ts';

/** Where a reader of a package is sent, if that is configured and the package is in the bucket. */
export async function packageAddress(
  directory: string,
  { plain, mediaType }: Pick<StoredDocument, 'plain' | 'mediaType'>,
): Promise<string | undefined> {
  const bucket = bucketAt(directory);
  const seconds = bucket?.bucket.settings.redirectSeconds ?? 0;
  const [slice] = plain.slices;
  if (!bucket || seconds === 0 || !slice || !('file' in slice) || !slice.file.endsWith('.zip'))
    return undefined;
  if (await isOnDisk(directory, slice.file)) return undefined;
  return bucket.store.presigned(bucket.key(slice.file), { seconds, mediaType });
}
