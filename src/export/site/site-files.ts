import { documentStylesheetPath } from '../../publish/documents/stylesheet-instruction.ts';
import { fileOfPage } from './pages.ts';
import type { PublicationSnapshot } from './publication-snapshot.ts';

/** Files of the site that are no documents: what they are made from (a path below `baseUrl`), and their names. */
export interface SiteFiles {
  /** What documents refer to. */
  readonly before: ReadonlyMap<string, string>;
  /** What leads to documents. */
  readonly after: ReadonlyMap<string, string>;
}

export function siteFilesOf({ sets }: PublicationSnapshot): SiteFiles {
  const pages = ['about', ...sets.map(({ path }) => `${path}/about`)];
  return {
    before: new Map([
      [documentStylesheetPath, documentStylesheetPath],
      ...pages.map((path) => [path, fileOfPage(path)] as const),
    ]),
    after: new Map([
      ['robots.txt', 'robots.txt'],
      ['', fileOfPage('')],
    ]),
  };
}
