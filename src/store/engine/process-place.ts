import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Where this process's id means something: containers on one host share neither process ids nor, perhaps,
 * the host's name. Only there can be seen whether another process still lives.
 */
export const thisPlace: string = `${hostname()} ${pidNamespace()}`;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
