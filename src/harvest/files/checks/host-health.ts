import type { Verdict } from './file-verdict.ts';

/** Which hosts are better left alone for a while: those that were silent several times in a row. */
export interface HostHealth {
  isDown(host: string, nowMs: number): boolean;
  note(host: string, verdict: Verdict, nowMs: number): void;
}

const silentTimes = 3;
const pauseMs = 600_000;
const hostsKept = 10_000;

export function createHostHealth(): HostHealth {
  const hosts = new Map<string, { silent: number; downUntil: number }>();
  return {
    isDown: (host, nowMs) => (hosts.get(host)?.downUntil ?? 0) > nowMs,
    note(host, verdict, nowMs) {
      if (verdict.outcome !== 'unreachable' || verdict.hostAnswers) {
        hosts.delete(host);
        return;
      }
      const silent = (hosts.get(host)?.silent ?? 0) + 1;
      const isDown = verdict.busy === true || silent >= silentTimes;
      // After the pause one attempt decides whether there is another.
      hosts.set(host, { silent, downUntil: isDown ? nowMs + pauseMs : 0 });
      if (hosts.size > hostsKept) hosts.delete(hosts.keys().next().value ?? '');
    },
  };
}

/** As the gate has it; for anything but a URL, something that no host is called. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
