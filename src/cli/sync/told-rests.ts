import { systemClock } from '../../bridge/system-clock.ts';
import { toIso } from '../../core/datetime.ts';
import type { HostGate } from '../../harvest/http/host-gate.ts';
import { type CommandIo, say } from '../terminal/io.ts';

/** Shorter ones are over before anybody wonders. */
const noticedMs = 10_000;

/** A host that is to be left alone for long is told at once: nothing else says why a run stands still. */
export function toldRests(gate: HostGate, io: CommandIo, now = () => systemClock.now().getTime()): HostGate {
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
      say(io, `${host} is left alone until ${toIso(new Date(until))}${why}: ${seconds} seconds`);
    },
  };
}
