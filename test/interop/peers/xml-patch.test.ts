import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffXml } from '../../../src/core/xml/xml-patch.ts';
import { documentPairs } from '../../house/core/xml-documents.ts';

const { status } = spawnSync('python3', ['-c', 'import lxml.etree'], { stdio: 'ignore' });
const available = status === 0;
if (!available) process.stderr.write('SKIPPED: the second opinion on XML patches needs python3 with lxml\n');

test.skipIf(!available)(
  'RS-LN-11: lxml, applying our patches to its tree, arrives at the new version',
  () => {
    const cases = fc.sample(documentPairs, { numRuns: 1500, seed: 20_261_121 }).map(([before, after]) => {
      const patch = diffXml(Buffer.from(before), Buffer.from(after));
      return [before, Buffer.from(patch ?? []).toString(), after];
    });
    const peer = join(import.meta.dirname, '../../house/interop/xml-patch-peer.py');
    const { stdout, stderr } = spawnSync('python3', [peer], {
      input: JSON.stringify(cases),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    expect(stderr).toBe('');
    const opinions = JSON.parse(stdout) as unknown[];
    const differing = opinions.flatMap((opinion, index) =>
      opinion === true ? [] : [{ opinion, case: cases[index] }],
    );
    expect(differing.slice(0, 3)).toEqual([]);
    expect(opinions).toHaveLength(1500);
  },
  60_000,
);
