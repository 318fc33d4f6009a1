import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The specification's schemas and examples, beside the checkout; undefined (and said so) where they are missing. */
export function sharedSpec(part: 'xsd' | 'examples'): string | undefined {
  const path = resolve(fileURLToPath(import.meta.url), '../../../../../shared/spec', part);
  if (existsSync(path)) return path;
  process.stderr.write(`SKIPPED: tests that need ${path}, which is not there\n`);
  return undefined;
}
