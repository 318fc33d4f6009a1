import { expect, test } from 'vitest';
import { openSourcePort } from '../../../src/cli/validate/validate-port.ts';
import { type ValidationProgress, validateSource } from '../../../src/conformance/source-validation.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { directory, source, useSmallSource } from '../../house/cli/validated-source.ts';

useSmallSource();

async function progressOf(follow: boolean): Promise<readonly ValidationProgress[]> {
  const told: ValidationProgress[] = [];
  const url = new URL(follow ? source.origin : `${source.origin}/rl-1.xml`);
  const { signal } = new AbortController();
  const never = new AbortController().signal;
  const io = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: directory };
  const limits = { allowPrivate: false, maxPackageBytes: 1e9 };
  const port = openSourcePort(url, limits, signal, { ...io, stop: never, abort: never });
  try {
    await validateSource(url, port, {
      ...{ follow, sample: 2, packages: 5, maximumPackageBytes: 1e9 },
      ...{ maximumDocuments: 1000, maximumFindings: 20 },
      onProgress: (progress) => told.push(progress),
    });
  } finally {
    await port.close();
  }
  return told;
}

test('documents are counted with those that they name; then packages, then the sample', async () => {
  const told = await progressOf(true);
  expect([...new Set(told.map(({ work }) => work))]).toEqual(['documents', 'packages', 'resources']);
  for (const { done, total } of told) expect(done).toBeLessThanOrEqual(total);
  const documents = told.filter(({ work }) => work === 'documents');
  expect(documents[0]?.total).toBeGreaterThan(1);
  const last = documents.at(-1);
  expect(last?.done).toBe(last?.total);
  const totals = told.filter(({ work }) => work === 'resources').map(({ total }) => total);
  expect(new Set(totals).size).toBe(1);
});

test('a document alone is one of one', async () => {
  expect(await progressOf(false)).toEqual([
    { work: 'documents', done: 1, total: 1, entries: expect.any(Number) },
  ]);
});

test('without a terminal a short run says nothing but its result', async () => {
  expect((await runMain(directory, ['validate', source.origin])).stderr).toBe('');
});
