import { parentPort } from 'node:worker_threads';
import type { ThreadMessage } from '../../core/threads.ts';
import { type UnpackingTask, unpack } from './unpack.ts';

/** The other end of `Unpacker`: one task after the other. */
parentPort?.on('message', ({ job, what }: ThreadMessage) => {
  parentPort?.postMessage({ job, what: unpack(what as UnpackingTask) } satisfies ThreadMessage);
});
