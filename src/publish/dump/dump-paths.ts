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
 * Some file systems have no colons; the escape is that of `segment.ts`, where none is ever escaped.
 */
export function pathInPackage(path: string): string {
  return path.slice(path.indexOf('/')).replaceAll(':', '~3A');
}

/** The name of the member that a `path` in a manifest leads to. */
export function memberName(path: string): string {
  return path.slice(1);
}
