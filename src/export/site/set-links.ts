import { createReadStream } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResourceSet } from '../../core/resource-set.ts';
import { setPaths } from '../../publish/documents/document-paths.ts';

/** Beside the export's own records, which no web server shows. */
export const setLinksFile = '.rsbridge-export-nginx.conf';

/**
 * Which resources are in which of the sets that no address tells of (by collection, by format), for the `Link` header
 * that leads from each to its Capability Lists (RS-DISC-13): a file that docs/nginx.conf includes. It says what the
 * exported Resource Lists say, is written again when one of them has changed, and however long they are, is never in memory.
 *
 * @param root of the export
 * @returns whether it is another one than before
 */
export async function writeSetLinks(
  root: string,
  baseUrl: string,
  sets: readonly Pick<ResourceSet, 'path' | 'source'>[],
): Promise<boolean> {
  const others = sets.filter(({ path, source }) => path !== source && path !== `${source}/metadata`);
  const file = join(root, setLinksFile);
  const states = await Promise.all(others.map(async (set) => `${set.path}=${await stateOf(root, set)}`));
  const signature = `# ${[baseUrl, ...states].join(' ')}\n`;
  const before = await readFile(file, 'utf8').catch(() => '');
  if (before.startsWith(signature)) return false;
  const handle = await open(`${file}.new`, 'w', 0o644);
  try {
    await handle.write(signature);
    for (const [number, { path }] of others.entries()) {
      const list = `${baseUrl}/${setPaths({ path }).capabilityList}`;
      await handle.write(`map $uri $rsbridge_set_${number} {\n    default "";\n`);
      for await (const lines of linesOf(root, baseUrl, path, `, <${list}>; rel="resourcesync"`)) {
        await handle.write(lines);
      }
      await handle.write('}\n');
    }
    const all = others.map((_, number) => `$rsbridge_set_${number}`).join('');
    await handle.write(`map $uri $rsbridge_sets {\n    default "${all}";\n}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
  return true;
}

async function stateOf(root: string, { path }: Pick<ResourceSet, 'path'>): Promise<string> {
  const found = await stat(join(root, setPaths({ path }).resourceList)).catch(() => undefined);
  return found ? `${found.size}@${Math.trunc(found.mtimeMs / 1000)}` : 'none';
}

/** Of the Resource List of a set, or of its parts. */
async function* linesOf(root: string, baseUrl: string, set: string, value: string): AsyncGenerator<string> {
  const { pathname } = new URL(`${baseUrl}/`);
  const below = (loc: string) => (loc.startsWith(`${baseUrl}/`) ? loc.slice(baseUrl.length + 1) : undefined);
  const parts: string[] = [];
  for await (const locs of locsOf(join(root, setPaths({ path: set }).resourceList))) {
    const resources = locs.flatMap((loc) => below(loc) ?? []).filter((path) => plain.test(path));
    for (const path of resources) if (path.startsWith(`${set}/resourcelist/`)) parts.push(path);
    yield resources.map((path) => `    "${pathname}${path}" '${value}';\n`).join('');
  }
  for (const part of parts) {
    for await (const locs of locsOf(join(root, part))) {
      const resources = locs.flatMap((loc) => below(loc) ?? []).filter((path) => plain.test(path));
      yield resources.map((path) => `    "${pathname}${path}" '${value}';\n`).join('');
    }
  }
}

/** Nothing else is an address of ours; and nothing else may stand in the configuration of a web server. */
const plain = /^[A-Za-z0-9._:~/-]+$/;

async function* locsOf(file: string): AsyncGenerator<readonly string[]> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
      rest += String(chunk);
      const end = rest.lastIndexOf('</loc>') + 6;
      if (end < 6) continue;
      yield [...rest.slice(0, end).matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc = '']) => loc);
      rest = rest.slice(end);
    }
  } catch (error) {
    // A set without resources yet has no list.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
