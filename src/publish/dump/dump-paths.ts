/** Paths of a dump that follow from another one of it (design: what the world sees). */

/** The copy of a package's manifest (RS-RD-11). */
export function manifestPath(packagePath: string): string {
  return packagePath.replace(/\.zip$/, '-manifest.xml');
}

/** Where one dump document is not enough: `number` from 1 on. */
export function dumpListPath(directory: string, number: number): string {
  return `${directory}/index-${number}.xml`;
}

/**
 * Where a resource is in a package: `kyushu/items/oai:x/oai_dc.xml` → `/items/oai~3Ax/oai_dc.xml` (RS-ATTR-13).
 * Some file systems have no colons; the escape is that of `segment.ts`, where none is ever escaped. In a package of a set
 * across sources it begins with the source (`/kyushu/items/…`), as two of them may have the same identifiers.
 * @param source of the entry, in a set across sources
 */
export function pathInPackage(path: string, source?: string): string {
  const own = source === undefined ? path.slice(path.indexOf('/')) : `/${path}`;
  return own.replaceAll(':', '~3A');
}

/** The name of the member that a `path` in a manifest leads to. */
export function memberName(path: string): string {
  return path.slice(1);
}

/** An address of a package, or of its manifest, in parts. */
const packageAddress = /^(.*\/(?:resource|change)dump\/[^.]*?)(?:\.([1-9]\d{0,5}))?(?:\.zip|-manifest\.xml)$/;

/**
 * What package an address belongs to, and the how manyth making of it: one that was built again without something has
 * another address, because caches and readers may have the bytes of the one before.
 */
export function makingOf(path: string): { readonly base: string; readonly making: number } | undefined {
  const [, base, making = '1'] = packageAddress.exec(path) ?? [];
  return base === undefined ? undefined : { base, making: Number(making) };
}

/** Where a package is that is built again. */
export function nextMaking(path: string): string {
  const { base, making } = makingOf(path) ?? { base: path, making: 1 };
  return `${base}.${making + 1}.zip`;
}
