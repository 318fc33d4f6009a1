const atMostEveryMs = 60_000;

/** What a client can cause a thousand times is a line a minute, with how often it happened. */
export function createRareLog(write: (fields: object) => void): { note(what?: object): void } {
  let count = 0;
  let notBefore = 0;
  return {
    note: (what = {}) => {
      count += 1;
      const now = performance.now();
      if (now < notBefore) return;
      write({ ...what, count });
      count = 0;
      notBefore = now + atMostEveryMs;
    },
  };
}
