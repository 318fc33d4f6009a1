import { addSeconds, toHttpDate } from '../../core/datetime.ts';
import type { Answer, Request } from '../server/answer.ts';
import type { Fault, Scene } from './fault.ts';

const kind = 'connections';
const same = { kind, outcome: 'same', share: 0.1 } as const;
const later = { kind, outcome: 'later', share: 0.1 } as const;

/** How answers come. */
export const connectionFaults: readonly Fault[] = [
  any('busy', same, 'the server asks to wait a second (503, Retry-After)', 'waits, and asks again', () => ({
    ...{ status: 503, headers: { 'retry-after': '1' }, body: Buffer.from('later\n') },
  })),
  any(
    'busy-until',
    same,
    'the server asks to wait until a date (503, Retry-After)',
    'waits, and asks again',
    (_, __, { now }) => ({
      ...{ status: 503, body: Buffer.from('later\n') },
      headers: { 'retry-after': toHttpDate(addSeconds(now, 2)) },
    }),
  ),
  any(
    'too-many',
    same,
    'the server has had too many requests (429, Retry-After)',
    'waits, and asks again',
    () => ({
      ...{ status: 429, headers: { 'retry-after': '1' }, body: Buffer.from('later\n') },
    }),
  ),
  any('errors', later, 'the server has an error (500)', 'tries again; deletes nothing because of it', () => ({
    ...{ status: 500, headers: {}, body: Buffer.from('an error\n') },
  })),
  any('late', same, 'answers take a second before they begin', 'waits', (answer) => ({
    ...answer,
    delivery: { ...answer.delivery, waitMs: 1000 },
  })),
  any(
    'slow',
    same,
    'bodies come at 2,000 octets a second',
    'waits, as long as something comes',
    (answer) => ({
      ...answer,
      delivery: { ...answer.delivery, octetsPerSecond: 2000 },
    }),
  ),
  any(
    'cut',
    same,
    'the connection breaks in the middle of a body',
    'goes on where it ended, or begins anew',
    (answer) => ({
      ...answer,
      delivery: { ...answer.delivery, cutAfter: Math.floor(answer.body.length / 2) },
    }),
  ),
  any(
    'cut-chunks',
    same,
    'the connection breaks in the middle of a body whose length was not said',
    'notices it, and begins anew',
    (answer) => ({
      ...answer,
      delivery: { ...answer.delivery, chunked: true, cutAfter: Math.floor(answer.body.length / 2) },
    }),
  ),
  any('reset', same, 'the connection breaks before anything comes', 'asks again', (answer) => ({
    ...answer,
    delivery: { ...answer.delivery, cutAfter: -1 },
  })),
  any(
    'silent',
    { ...later, share: 0.02 },
    'no answer ever comes',
    'gives up after a while; tries again',
    (answer) => ({
      ...answer,
      delivery: { ...answer.delivery, isSilent: true },
    }),
  ),
  {
    ...{ name: 'no-ranges', ...same, share: 1 },
    what: 'a request for the rest of a body gets the whole',
    expects: 'begins anew',
    content: (answer) => ({ ...answer, ignores: 'ranges' }),
  },
  {
    ...{ name: 'wrong-ranges', ...same, share: 1 },
    what: 'a request for the rest of a body gets another part, which is called the one that was asked for',
    expects: 'compares hashes, and begins anew',
    answer: (answer) =>
      answer.status === 206 ? { ...answer, body: Buffer.from(answer.body).fill(0x21) } : answer,
  },
  {
    ...{ name: 'no-conditions', ...same, share: 1 },
    what: 'a conditional request gets everything all the same',
    expects: 'compares what comes',
    content: (answer) => ({ ...answer, ignores: 'conditions' }),
  },
];

/** It strikes requests of any kind. */
function any(
  name: string,
  usual: Pick<Fault, 'kind' | 'outcome' | 'share'>,
  what: string,
  expects: string,
  change: (answer: Answer, request: Request, scene: Scene) => Answer,
): Fault {
  return {
    ...{ name, ...usual, what, expects },
    answer: (answer, request, scene) =>
      scene.strikes(request.path, request.nth) ? change(answer, request, scene) : answer,
  };
}
