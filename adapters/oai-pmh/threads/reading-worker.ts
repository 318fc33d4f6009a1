import { parentPort } from 'node:worker_threads';
import type { ThreadMessage } from '../../../src/core/threads.ts';
import type { ReadingTask } from './reading-task.ts';
import { ThreadReading } from './thread-reading.ts';

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
