import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { openFilesLimit } from '../../bridge/open-files.ts';
import type { Config } from '../../core/config/config.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';

/** What this process may have of its machine, whatever the machine has. */
export interface Machine {
  readonly cores: number;
  /** In bytes. */
  readonly memory: number;
  /** Files and connections that a process may have open; undefined: nobody tells. */
  readonly openFiles: number | undefined;
}

/** A container or a unit of systemd has less than its machine (cgroup v2). */
export function readMachine(): Machine {
  const limit = process.constrainedMemory?.() ?? 0;
  const [quota, period] = (contentOf('/sys/fs/cgroup/cpu.max') ?? '').split(/\s+/).map(Number);
  const share = quota && period ? quota / period : Number.POSITIVE_INFINITY;
  const files = openFilesLimit();
  return {
    cores: Math.min(availableParallelism(), share),
    memory: limit > 0 ? Math.min(limit, totalmem()) : totalmem(),
    openFiles: Number.isFinite(files) ? files : undefined,
  };
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

const megabyte = 1024 * 1024;
/** docs/scale.md: a process stays below 256 MB whatever the size, each thread takes about 50 MB. */
const perProcess = 256 * megabyte;
const perThread = 64 * megabyte;
/** Of the memory, so that the system can keep files of the database in the rest. */
const mostOfMemory = 0.75;
const fewFiles = 4096;

/** Whether what the settings ask for is there. */
export function judgeMachine(
  { listen, role, workers }: Pick<Config, 'listen' | 'role' | 'workers'>,
  { cores, memory, openFiles }: Machine,
): readonly Diagnosis[] {
  const answering = role === 'work' || listen.processes === 1 ? 0 : listen.processes;
  const need = (1 + answering) * perProcess + workers * perThread;
  const busy = Math.max(1, answering) + workers;
  const sizes = `${mb(memory)} of memory, ${cores} ${cores === 1 ? 'core' : 'cores'}`;
  const asked = `listen.processes: ${listen.processes}, workers: ${workers}`;
  const fitting = Math.max(1, Math.floor(cores) - workers);
  return [
    ...diagnose(
      'memory',
      [
        need > memory * mostOfMemory && {
          severity: 'warning',
          message: `${sizes}; ${asked} may take ${mb(need)}, and the database needs some of the rest`,
          mend: `listen: { processes: ${Math.max(1, Math.floor((memory * mostOfMemory - workers * perThread) / perProcess) - 1)} }`,
        },
      ],
      `${sizes}; ${asked} take ${mb(need)} at most`,
    ),
    ...diagnose(
      'cores',
      [
        busy > Math.max(2, Math.ceil(cores)) && {
          severity: 'warning',
          message: `${sizes}; ${asked} keep ${busy} cores busy, and wait for one another`,
          mend: `listen: { processes: ${fitting} }`,
        },
        cores >= 4 &&
          role !== 'work' &&
          listen.processes === 1 && {
            severity: 'note',
            message: `${sizes}; one process answers all requests, on one of them`,
            mend: `listen: { processes: ${Math.floor(cores) - 1} }`,
          },
      ],
      `${sizes}; ${asked}`,
    ),
    ...(openFiles === undefined
      ? []
      : diagnose(
          'open files',
          [
            openFiles < fewFiles && {
              severity: 'warning',
              message: `a process may have ${openFiles} files and connections open; under load it needs ${fewFiles}`,
              mend: 'ulimit -n 65536 (for systemd: LimitNOFILE=65536)',
            },
          ],
          `a process may have ${openFiles} open`,
        )),
  ];
}

function mb(bytes: number): string {
  return bytes >= 1024 * megabyte
    ? `${(bytes / 1024 / megabyte).toFixed(1)} GiB`
    : `${Math.round(bytes / megabyte)} MiB`;
}
