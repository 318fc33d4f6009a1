import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { isReady, type ThreadMessage } from '../../../src/core/threads.ts';
import type { ReadingTask } from './reading-task.ts';
import { ThreadReading } from './thread-reading.ts';

giveWay();

/** The other end of `foreign-list.ts`: bytes of responses → records that are ready to be stored. */
const readings = new Map<number, ThreadReading>();

parentPort?.on('message', ({ job, what }: ThreadMessage) => {
  const task = what as ReadingTask;
  if (task.open) {
    readings.set(
      job,
      new ThreadReading((answer, handedOver) => parentPort?.postMessage({ job, what: answer }, handedOver)),
    );
  }
  if (readings.get(job)?.hear(task)) readings.delete(job);
});
parentPort?.postMessage(isReady);

/**
 * Where cores are few, whoever stores what was read, and answers requests meanwhile, goes first: all the others wait for that thread.
 * Linux alone has a priority of each thread (setpriority(2), "C library/kernel differences"); elsewhere it would be that of the process.
 */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  const priority = getPriority() + constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, priority));
  } catch {
    // A filter of system calls forbids it: all is read, with what the scheduler gives.
  }
}
