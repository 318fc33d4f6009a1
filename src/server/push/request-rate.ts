const windowMs = 60_000;
const mostInWindow = 60;
/** Of so many addresses that is known; beyond that all are counted as one. */
const mostClients = 10_000;

/** How often somebody asks: each request makes us call whom it names. */
export function createRequestRate() {
  let since = Number.NEGATIVE_INFINITY;
  let counts = new Map<string, number>();
  return {
    admits: (client: string, now: number): boolean => {
      if (now - since >= windowMs || now < since) {
        since = now;
        counts = new Map();
      }
      const key = counts.has(client) || counts.size < mostClients ? client : '';
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count <= mostInWindow;
    },
  };
}
