import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an object of OCFL 1.1 says of itself. */
export interface Inventory {
  readonly id: string;
  readonly type: string;
  readonly digestAlgorithm: 'sha512';
  /** `v1`, `v2`, … */
  readonly head: string;
  /** Digest → paths in the object. */
  readonly manifest: Readonly<Record<string, readonly string[]>>;
  readonly versions: Readonly<Record<string, Version>>;
  /** By algorithm. */
  readonly fixity?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

export interface Version {
  readonly created: string;
  /** Digest → names. */
  readonly state: Readonly<Record<string, readonly string[]>>;
  readonly message: string;
  readonly user: { readonly name: string; readonly address: string };
}

/** What a change adds to an object; without a file it is deleted. */
export interface NewVersion {
  readonly id: string;
  readonly created: string;
  readonly message: string;
  readonly user: Version['user'];
  readonly file: { readonly name: string; readonly sha512: string; readonly sha256: string } | undefined;
}

const inventoryType = 'https://ocfl.io/1.1/spec/#inventory';
const fileName = 'inventory.json';
const sidecarName = `${fileName}.sha512`;

/** @param before undefined: the object is new */
export function withVersion(before: Inventory | undefined, added: NewVersion): Inventory {
  const { id, created, message, user, file } = added;
  const head = `v${before === undefined ? 1 : numberOf(before.head) + 1}`;
  const path = file && `${head}/content/${file.name}`;
  const isNew = file !== undefined && before?.manifest[file.sha512] === undefined;
  const state: Version['state'] = file === undefined ? {} : { [file.sha512]: [file.name] };
  const fixity = before?.fixity?.sha256 ?? {};
  return {
    id,
    type: inventoryType,
    digestAlgorithm: 'sha512',
    head,
    manifest: {
      ...before?.manifest,
      ...(isNew && file && path !== undefined ? { [file.sha512]: [path] } : {}),
    },
    versions: { ...before?.versions, [head]: { created, state, message, user } },
    fixity: { sha256: isNew && file && path !== undefined ? { ...fixity, [file.sha256]: [path] } : fixity },
  };
}

/** Where the bytes of the newest version lie in the object; undefined: it is deleted. */
export function headContent({ head, versions, manifest }: Inventory): string | undefined {
  const [digest] = Object.keys(versions[head]?.state ?? {});
  return digest === undefined ? undefined : manifest[digest]?.[0];
}

export function numberOf(version: string): number {
  return Number(version.slice(1));
}

export function readInventory(object: string): Inventory | undefined {
  const file = join(object, fileName);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Inventory) : undefined;
}

/** In the order in which a kill between does the least harm: `repair` mends it. */
export function writeInventory(folder: string, inventory: Inventory): void {
  const text = `${JSON.stringify(inventory, undefined, 2)}\n`;
  writeWhole(join(folder, fileName), text);
  writeWhole(join(folder, sidecarName), sidecarOf(text));
}

/**
 * After a kill: a version that no inventory has is removed, and the digest of an inventory is that of what it says.
 * @returns undefined: there is no object
 */
export function repair(object: string): Inventory | undefined {
  const inventory = readInventory(object);
  if (inventory === undefined) {
    rmSync(object, { recursive: true, force: true });
    return undefined;
  }
  rmSync(join(object, `v${numberOf(inventory.head) + 1}`), { recursive: true, force: true });
  const text = readFileSync(join(object, fileName), 'utf8');
  const sidecar = join(object, sidecarName);
  if (!existsSync(sidecar) || readFileSync(sidecar, 'utf8') !== sidecarOf(text))
    writeWhole(sidecar, sidecarOf(text));
  return inventory;
}

function sidecarOf(text: string): string {
  return `${createHash('sha512').update(text).digest('hex')} ${fileName}\n`;
}

function writeWhole(file: string, text: string): void {
  // Beside the object nothing may lie in it: names of files that are no part of it end with its process.
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}
