import { parentPort } from 'node:worker_threads';
import type { ThreadMessage } from '../../core/threads.ts';
import { type PackedTask, unpackTask } from './packed-task.ts';
import { unpack } from './unpack.ts';

/** The other end of `Unpacker`: one task after the other; what came of it goes back as JSON. */
parentPort?.on('message', ({ job, what }: ThreadMessage) => {
  const done = unpack(unpackTask(what as PackedTask));
  parentPort?.postMessage({ job, what: JSON.stringify(done) } satisfies ThreadMessage);
});
