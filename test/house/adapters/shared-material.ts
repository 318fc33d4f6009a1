import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A folder of the material beside the checkout, which is not part of it; says loudly when it is missing. */
export function sharedMaterial(path: string): string | undefined {
  const folder = join(import.meta.dirname, '../../../../shared', path);
  if (existsSync(folder)) return folder;
  process.stderr.write(`\nSKIPPED: ../shared/${path} is not there; the tests that need it do not run.\n`);
  return undefined;
}
