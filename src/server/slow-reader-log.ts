import type { FastifyBaseLogger } from 'fastify';

const atMostEveryMs = 60_000;

/** Readers who were given up, in one line a minute: a thousand of them are no reason for a thousand lines. */
export function createSlowReaderLog(log: Pick<FastifyBaseLogger, 'info'>): { note(): void } {
  let count = 0;
  let notBefore = 0;
  return {
    note: () => {
      count += 1;
      const now = performance.now();
      if (now < notBefore) return;
      log.info({ count }, 'answers ended because they were read more slowly than `listen.minBytesPerSecond`');
      count = 0;
      notBefore = now + atMostEveryMs;
    },
  };
}
