import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { openSmallSource, type SmallSource } from '../conformance/small-source.ts';
import { runMain } from './run-main.ts';

interface Line {
  readonly rule: string;
  readonly severity: string;
  readonly uri: string;
  readonly place: string;
  readonly message: string;
}

/** A small Source and a directory for each test, and `rsbridge validate` on them. */
export let source: SmallSource;
export let directory: string;

export function useSmallSource(): void {
  beforeEach(async () => {
    source = await openSmallSource();
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-validate-'));
  });
  afterEach(async () => {
    await source.close();
    rmSync(directory, { recursive: true, force: true });
  });
}

export const run = (...args: string[]) => runMain(directory, ['validate', ...args]);

/** Of the small Source, from its well-known URI on. */
export async function findingsOf(...args: string[]) {
  const { code, stdout, stderr } = await run(source.origin, '--json', ...args);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { summary } = lines.pop();
  const findings = lines as Line[];
  return { code, stderr, summary, findings, rules: new Set(findings.map(({ rule }) => rule)) };
}
