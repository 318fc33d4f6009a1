import { systemClock } from '../../bridge/system-clock.ts';
import { toIso } from '../../core/datetime.ts';
import type { HostGate } from '../../harvest/http/host-gate.ts';
import { type CommandIo, say } from '../terminal/io.ts';

/** Shorter ones are over before anybody wonders. */
const noticedMs = 10_000;
/** Nobody sits out longer ones, with the directory locked: the next run goes on. */
const longestMs = 300_000;

export interface RestsTold {
  readonly io: CommandIo;
  /** Told why a run had better end. Undefined: it goes on in any case. */
  readonly onLong?: ((why: string) => void) | undefined;
  readonly now?: () => number;
}

/** A host that is to be left alone for long is told at once: nothing else says why a run stands still. */
export function toldRests(
  gate: HostGate,
  { io, onLong, now = () => systemClock.now().getTime() }: RestsTold,
): HostGate {
  const told = new Map<string, number>();
  return {
    enter: gate.enter,
    restOf: gate.restOf,
    rest(host, until, reason) {
      gate.rest(host, until, reason);
      const isLater = until > (told.get(host) ?? 0) + noticedMs;
      if (!isLater || until - now() < noticedMs) return;
      told.set(host, until);
      const seconds = Math.round((until - now()) / 1000);
      const why = reason === undefined ? '' : ` (${reason})`;
      const left = `${host} is left alone until ${toIso(new Date(until))}${why}`;
      const ends = onLong !== undefined && until - now() > longestMs;
      say(io, ends ? `${left}: this run ends, the next one goes on` : `${left}: ${seconds} seconds`);
      if (ends) onLong(left);
    },
  };
}
