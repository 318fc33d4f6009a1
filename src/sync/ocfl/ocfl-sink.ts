import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ReceivedContent } from '../sinks/received-content.ts';
import type { FoundContent, Placed, PlacedResource, PutResource, Sink } from '../sinks/sink.ts';
import {
  headContent,
  type Inventory,
  readInventory,
  repair,
  withVersion,
  writeInventory,
} from './inventory.ts';

export interface OcflDeps {
  /** Of the copy; the storage root lies in it. */
  readonly directory: string;
  /** For what is on its way, on the same file system. */
  readonly parts: string;
  readonly now: () => string;
  readonly user: { readonly name: string; readonly address: string };
}

/** Of the storage root in the copy: what we know lies beside it, for it may hold nothing else. */
const rootFolder = 'ocfl';
const layout = '0003-hash-and-id-n-tuple-storage-layout';
const layoutConfig = {
  extensionName: layout,
  digestAlgorithm: 'sha256',
  tupleSize: 3,
  numberOfTuples: 3,
};

/**
 * A copy as a storage root of OCFL 1.1: an object for each resource, whose identifier is its address, and a version of it
 * for each change. A version that deletes has nothing in it; those before stay.
 */
export class OcflSink implements Sink {
  readonly takesContents = true;
  readonly #deps: OcflDeps;
  readonly #root: string;

  constructor(deps: OcflDeps) {
    this.#deps = deps;
    this.#root = join(deps.directory, rootFolder);
    if (!existsSync(join(this.#root, '0=ocfl_1.1'))) this.#begin();
  }

  async find(loc: string): Promise<FoundContent | undefined> {
    const path = pathOf(loc);
    const found = await this.#measure(path);
    return found && { path, modifiedMs: undefined, ...found };
  }

  async read({ path }: PlacedResource, maximumOctets: number): Promise<Uint8Array | undefined> {
    const object = join(this.#deps.directory, path);
    const inventory = readInventory(object);
    const content = inventory && headContent(inventory);
    if (content === undefined) return undefined;
    const file = join(object, content);
    return statSync(file).size <= maximumOctets ? readFile(file) : undefined;
  }

  measure({ path }: PlacedResource): Promise<Pick<FoundContent, 'sha256' | 'length'> | undefined> {
    return this.#measure(path);
  }

  async put(resource: PutResource, content: ReceivedContent): Promise<Placed> {
    const path = pathOf(resource.loc);
    const sha512 = await sha512Of(content);
    const object = join(this.#deps.directory, path);
    const before = repair(object);
    const isSame = before?.versions[before.head]?.state[sha512] !== undefined;
    if (isSame) return { path };
    const op = before === undefined ? 'created' : 'updated';
    const message = `${op} at the Source: ${resource.asOf}`;
    const name = nameOf(resource.loc);
    const file = { name, sha512, sha256: content.sha256.slice('sha-256:'.length) };
    this.#add(object, before, { id: resource.loc, message, file }, content);
    return { path };
  }

  remove({ loc, path }: PlacedResource, at: string): void {
    const object = join(this.#deps.directory, path);
    const before = repair(object);
    if (before === undefined || headContent(before) === undefined) return;
    this.#add(
      object,
      before,
      { id: loc, message: `deleted at the Source: ${at}`, file: undefined },
      undefined,
    );
  }

  async close(): Promise<void> {}

  /** A version appears with all that it has, and counts when the inventory of the object says so. */
  #add(
    object: string,
    before: Inventory | undefined,
    added: {
      id: string;
      message: string;
      file: { name: string; sha512: string; sha256: string } | undefined;
    },
    content: ReceivedContent | undefined,
  ): void {
    const { now, user, parts } = this.#deps;
    const inventory = withVersion(before, { ...added, created: now(), user });
    const building = join(parts, `object-${createHash('sha256').update(added.id).digest('hex')}`);
    rmSync(building, { recursive: true, force: true });
    const version = join(building, inventory.head);
    mkdirSync(version, { recursive: true });
    const isNew = added.file !== undefined && before?.manifest[added.file.sha512] === undefined;
    if (isNew && content && added.file) {
      mkdirSync(join(version, 'content'));
      const target = join(version, 'content', added.file.name);
      if (content.file === undefined) writeFileSync(target, content.bytes ?? new Uint8Array());
      else moveFile(content.file, target);
    }
    writeInventory(version, inventory);
    if (before === undefined) {
      writeFileSync(join(building, '0=ocfl_object_1.1'), 'ocfl_object_1.1\n');
      writeInventory(building, inventory);
      mkdirSync(dirname(object), { recursive: true });
      renameSync(building, object);
      return;
    }
    renameSync(version, join(object, inventory.head));
    writeInventory(object, inventory);
    rmSync(building, { recursive: true, force: true });
  }

  async #measure(path: string): Promise<Pick<FoundContent, 'sha256' | 'length'> | undefined> {
    const object = join(this.#deps.directory, path);
    const inventory = existsSync(object) ? repair(object) : undefined;
    const content = inventory && headContent(inventory);
    if (content === undefined) return undefined;
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of createReadStream(join(object, content)) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      length += chunk.byteLength;
    }
    return { sha256: `sha-256:${hash.digest('hex')}`, length };
  }

  #begin(): void {
    const extension = join(this.#root, 'extensions', layout);
    mkdirSync(extension, { recursive: true });
    writeFileSync(join(extension, 'config.json'), `${JSON.stringify(layoutConfig, undefined, 2)}\n`);
    const description =
      'Three levels of three characters of the hash of an identifier, then the identifier, percent-encoded';
    writeFileSync(
      join(this.#root, 'ocfl_layout.json'),
      `${JSON.stringify({ extension: layout, description }, undefined, 2)}\n`,
    );
    writeFileSync(join(this.#root, '0=ocfl_1.1'), 'ocfl_1.1\n');
  }
}

/** In the copy. */
function pathOf(loc: string): string {
  const digest = createHash('sha256').update(loc).digest('hex');
  const tuples = [0, 3, 6].map((at) => digest.slice(at, at + 3));
  const encoded = [...Buffer.from(loc)]
    .map((octet) => {
      const character = String.fromCharCode(octet);
      return /[A-Za-z0-9_-]/.test(character) ? character : `%${octet.toString(16).padStart(2, '0')}`;
    })
    .join('');
  const name = encoded.length <= 100 ? encoded : `${encoded.slice(0, 100)}-${digest}`;
  return [rootFolder, ...tuples, name].join('/');
}

/** What people know the file by: the end of its address, as far as every file system takes it. */
function nameOf(loc: string): string {
  const last = new URL(loc).pathname.split('/').findLast((segment) => segment !== '') ?? '';
  const name = last.replace(/[^\w.-]/g, '_').slice(-120);
  return /^\.*$/.test(name) ? 'content' : name;
}

async function sha512Of({ bytes, file }: ReceivedContent): Promise<string> {
  const hash = createHash('sha512');
  if (file === undefined) hash.update(bytes ?? new Uint8Array());
  else for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) hash.update(chunk);
  return hash.digest('hex');
}

function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
