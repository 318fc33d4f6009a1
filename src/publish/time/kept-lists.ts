import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../../core/adapter.ts';
import { toDigits } from '../../core/datetime.ts';
import type { Documents, StoredDocument } from '../disk/pointer.ts';
import { totalLength } from '../disk/slices.ts';

/** A Resource List of a moment, as its directory has it. */
export interface KeptList {
  readonly directory: string;
  readonly document: StoredDocument;
  readonly parts: Documents;
}

interface Manifest extends Omit<KeptList, 'directory'> {
  /** Of all that its bytes depend on beside the journal. */
  readonly making: string;
  /** On the disk. */
  readonly bytes: number;
}

export interface KeptListBounds {
  /** Lists of one set. */
  readonly lists: number;
  /** All lists of all sets together; the latest stays however large it is. */
  readonly bytes: number;
}

/** There once the list is complete; its time is that of the last use. */
const manifestFile = 'list.json';
/** What it is called once the list has to go. */
const retiredFile = 'retired.json';
/** While the list is written; its time is that of the last sign of life. */
const lifeFile = 'rendering';
const ours = /^\d{14}\.[0-9a-f]{8}$/;
/** Who has found a list opens its files within this time. */
export const graceMilliseconds = 60_000;
const abandonedMilliseconds = 300_000;

/**
 * Rendered lists on the disk: each in a directory of its own, visible from the moment its manifest has its name, and
 * the same whoever rendered it. Those that were not asked for the longest go first.
 */
export class KeptLists {
  readonly #root: string;
  readonly #bounds: KeptListBounds;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(root: string, bounds: KeptListBounds, clock: Pick<Clock, 'now'>) {
    this.#root = root;
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** @param set its path */
  async find(set: string, moment: string, making: string): Promise<KeptList | undefined> {
    const place = this.#placeOf(set);
    const digits = toDigits(moment);
    for (const name of await namesIn(place)) {
      if (!ours.test(name) || !name.startsWith(`${digits}.`)) continue;
      const directory = join(place, name);
      const manifest = await readManifest(directory);
      if (manifest?.making !== making) continue;
      await this.#touch(join(directory, manifestFile));
      return { directory, document: manifest.document, parts: manifest.parts };
    }
    return undefined;
  }

  async begin(set: string, moment: string): Promise<Workplace> {
    const directory = join(this.#placeOf(set), `${toDigits(moment)}.${randomUUID().slice(0, 8)}`);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, lifeFile), '');
    const workplace = new Workplace(directory, (file) => this.#touch(file));
    await workplace.live();
    return workplace;
  }

  /** Lets go of what is too much, and of what a crash has left behind. */
  async tidy(): Promise<void> {
    const kept: { directory: string; place: string; used: number; bytes: number }[] = [];
    const now = this.#clock.now().getTime();
    for (const directory of await directoriesOf(this.#root)) {
      const manifest = await readManifest(directory);
      const used = manifest && (await timeOf(join(directory, manifestFile)));
      if (manifest && used !== undefined) {
        kept.push({ directory, place: join(directory, '..'), used, bytes: manifest.bytes });
      } else if (await this.#isOver(directory, now)) {
        await rm(directory, { recursive: true, force: true });
      }
    }
    kept.sort((a, b) => b.used - a.used);
    const counts = new Map<string, number>();
    let bytes = 0;
    for (const [index, one] of kept.entries()) {
      const count = (counts.get(one.place) ?? 0) + 1;
      const fits = count <= this.#bounds.lists && bytes + one.bytes <= this.#bounds.bytes;
      if (index > 0 && !fits) {
        await this.#retire(one.directory);
        continue;
      }
      counts.set(one.place, count);
      bytes += one.bytes;
    }
  }

  /** Nobody finds it any more; who has found it can still open it. */
  async #retire(directory: string): Promise<void> {
    const retired = join(directory, retiredFile);
    // Another process may be at it as well.
    await rename(join(directory, manifestFile), retired).catch(() => undefined);
    await this.#touch(retired);
  }

  async #isOver(directory: string, now: number): Promise<boolean> {
    const retired = await timeOf(join(directory, retiredFile));
    if (retired !== undefined) return now - retired >= graceMilliseconds;
    const alive = (await timeOf(join(directory, lifeFile))) ?? (await timeOf(directory)) ?? now;
    return now - alive > abandonedMilliseconds;
  }

  async #touch(file: string): Promise<void> {
    const now = this.#clock.now();
    await utimes(file, now, now).catch(() => undefined);
  }

  #placeOf(set: string): string {
    return join(this.#root, ...set.split('/'));
  }
}

/** Where one list is being written. */
export class Workplace {
  readonly directory: string;
  readonly #touch: (file: string) => Promise<void>;

  constructor(directory: string, touch: (file: string) => Promise<void>) {
    this.directory = directory;
    this.#touch = touch;
  }

  /** To be called now and then: what shows no life is taken for abandoned. */
  live(): Promise<void> {
    return this.#touch(join(this.directory, lifeFile));
  }

  async complete(list: Omit<KeptList, 'directory'>, making: string): Promise<KeptList> {
    const { document, parts } = list;
    const manifest: Manifest = {
      making,
      document,
      parts,
      bytes: bytesOf([document, ...Object.values(parts)]),
    };
    const file = join(this.directory, manifestFile);
    const handle = await open(`${file}.tmp`, 'wx');
    try {
      await handle.writeFile(JSON.stringify(manifest));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await this.#touch(`${file}.tmp`);
    await rename(`${file}.tmp`, file);
    return { directory: this.directory, document, parts };
  }

  async discard(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

function bytesOf(documents: readonly StoredDocument[]): number {
  return documents.reduce(
    (sum, { plain, gzip }) => sum + totalLength(plain.slices) + totalLength(gzip?.slices ?? []),
    0,
  );
}

async function readManifest(directory: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, manifestFile), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}

/** Of every list there is, whole or not. */
async function directoriesOf(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await namesIn(root)) {
    const path = join(root, name);
    if (ours.test(basename(path))) found.push(path);
    else found.push(...(await directoriesOf(path)));
  }
  return found;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function timeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
