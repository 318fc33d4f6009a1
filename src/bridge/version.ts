import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const productName = 'resourcesync-bridge';

/** Of the package this file belongs to, whether it runs from `src` or as it was built. */
export const version: string = readVersion(dirname(fileURLToPath(import.meta.url)));

function readVersion(directory: string): string {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return directory === dirname(directory) ? '0.0.0' : readVersion(dirname(directory));
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
