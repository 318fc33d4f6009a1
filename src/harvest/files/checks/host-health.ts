import { retryAfter } from '../../http/patience.ts';
import type { Verdict } from './file-verdict.ts';

/** Which hosts are better left alone for a while: those that were silent several times in a row, or asked for patience. */
export interface HostHealth {
  isDown(host: string, nowMs: number): boolean;
  /** Until it wants to be asked again, as it has said itself; undefined: it has not. */
  restSeconds(host: string, nowMs: number): number | undefined;
  note(host: string, verdict: Verdict, nowMs: number): void;
}

interface Health {
  readonly silent: number;
  readonly downUntil: number;
  readonly hasSaid: boolean;
}

const silentTimes = 3;
const pauseMs = 600_000;
const hostsKept = 10_000;

export function createHostHealth(): HostHealth {
  const hosts = new Map<string, Health>();
  const rest = (host: string, nowMs: number) => (hosts.get(host)?.downUntil ?? 0) - nowMs;
  return {
    isDown: (host, nowMs) => rest(host, nowMs) > 0,
    restSeconds: (host, nowMs) =>
      hosts.get(host)?.hasSaid && rest(host, nowMs) > 0 ? Math.ceil(rest(host, nowMs) / 1000) : undefined,
    note(host, verdict, nowMs) {
      if (verdict.outcome !== 'unreachable' || verdict.hostAnswers) {
        hosts.delete(host);
        return;
      }
      const silent = (hosts.get(host)?.silent ?? 0) + 1;
      const isDown = verdict.busy === true || silent >= silentTimes;
      const asked = askedSeconds(verdict, new Date(nowMs));
      // After the pause one attempt decides whether there is another.
      const downUntil = isDown ? nowMs + (asked === undefined ? pauseMs : asked * 1000) : 0;
      hosts.set(host, { silent, downUntil, hasSaid: asked !== undefined });
      if (hosts.size > hostsKept) hosts.delete(hosts.keys().next().value ?? '');
    },
  };
}

/** For how long the server asks for patience, an hour at most; undefined: it does not say. */
export function askedSeconds(verdict: Verdict, now: Date): number | undefined {
  const asked = verdict.outcome === 'confirmed' ? undefined : retryAfter(verdict.retryAfter, now);
  return asked === undefined ? undefined : Math.ceil(asked / 1000);
}

/** As the gate has it; for anything but a URL, something that no host is called. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
