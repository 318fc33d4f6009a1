import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { DatabaseConfig } from '../../../../src/core/config/config.ts';

export interface TakeoverRun {
  /** Whether it was killed before it came to its end. */
  readonly isKilled: boolean;
  /** Peak resident set, in kB, where it came to its end. */
  readonly peak: number | undefined;
}

/**
 * Takes a database over in a process of its own.
 * @param script `takeover-process.ts`, compiled
 * @param isTime whether it is to be killed, asked with each step: how many there have been, and which part is done
 */
export async function takeOverInProcess(
  script: string,
  config: DatabaseConfig,
  isTime: (steps: number, part: number) => boolean = () => false,
): Promise<TakeoverRun> {
  const child = spawn(process.execPath, [script, JSON.stringify(config)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let steps = 0;
  let peak: number | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const [first = '', second] = line.split(' ');
    if (first === 'peak') peak = Number(second);
    else {
      steps += 1;
      if (isTime(steps, Number(first) / Math.max(1, Number(second)))) child.kill('SIGKILL');
      else child.stdin.write('\n');
    }
  }
  const code = await exited;
  if (code !== 0 && !child.killed) throw new Error(`the takeover ended with ${code}`);
  return { isKilled: code !== 0, peak };
}
