import type { Bridge } from '../../bridge/bridge.ts';
import { areCountOf, countOf } from '../../core/count-of.ts';
import { eitherOf } from '../../core/either-signal.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';
import { placeOfSource } from '../../harvest/http/host-gate.ts';
import { say } from '../terminal/io.ts';
import type { Progress } from '../terminal/progress.ts';
import { checkSource } from './check-source.ts';
import type { Finding } from './finding.ts';

const serversAtOnce = 8;

/** Several servers at a time, and of each one source after the other. What is found of a source comes as soon as it is known. */
export async function* checkSources(bridge: Bridge, progress: Progress): AsyncGenerator<Finding> {
  const { io } = progress;
  const signal = eitherOf(io.stop, io.abort);
  const sources = bridge.sources();
  const servers = byServer(sources);
  const found: Finding[] = [];
  let done = 0;
  let wake: () => void = () => undefined;

  async function look(group: readonly HarvestSource[]): Promise<void> {
    let hopeless: ((of: HarvestSource) => Finding) | undefined;
    for (const source of group) {
      const findings: Finding[] = [];
      const onHopeless = (others: (of: HarvestSource) => Finding) => {
        hopeless ??= others;
      };
      try {
        for await (const one of checkSource(bridge, source, { hopeless, onHopeless, signal }))
          findings.push(one);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      // Ended in the middle, it says nothing of the source.
      if (signal.aborted) return;
      found.push(...findings);
      done += 1;
      wake();
    }
  }
  async function lane(): Promise<void> {
    for (let next = servers.shift(); next && !signal.aborted; next = servers.shift()) await look(next);
  }

  let isOver = false;
  const all = Promise.all(Array.from({ length: serversAtOnce }, lane)).finally(() => {
    isOver = true;
    wake();
  });
  // Its failure is thrown below, once what was found before it has been told.
  all.catch(() => undefined);
  for (;;) {
    progress.show(
      'sources',
      { label: 'sources', done, total: sources.length, noun: 'source', deed: 'looked at' },
      () => `${done} of ${countOf(sources.length, 'source')} looked at`,
    );
    yield* found.splice(0);
    if (found.length > 0) continue;
    if (isOver) break;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lookEveryMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
  progress.remove('sources');
  await all;
  const left = sources.length - done;
  if (left > 0) say(io, `stopped as asked: ${areCountOf(left, 'source')} not looked at`);
}

/** So often somebody who waits is told how far it is. */
const lookEveryMs = 1000;

function byServer(sources: readonly HarvestSource[]): (readonly HarvestSource[])[] {
  const servers = new Map<string, HarvestSource[]>();
  for (const source of sources) {
    const server = placeOfSource(source.config);
    servers.set(server, [...(servers.get(server) ?? []), source]);
  }
  return [...servers.values()];
}
