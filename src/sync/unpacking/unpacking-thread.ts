import { parentPort } from 'node:worker_threads';
import type { ThreadMessage } from '../../core/threads.ts';
import { type UnpackingTask, unpack } from './unpack.ts';

/** The other end of `Unpacker`: one task after the other, as JSON. */
parentPort?.on('message', ({ job, what }: ThreadMessage) => {
  const done = unpack(JSON.parse(what as string) as UnpackingTask);
  parentPort?.postMessage({ job, what: JSON.stringify(done) } satisfies ThreadMessage);
});
