import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench dspace [ITEMS] [EMBED_MS] [VERSION] [PART …]`: a simulated DSpace in another process, whose items cost
 * so many milliseconds each where something is embedded in them (DSpace#7971), read with the usual settings:
 *
 *     full         everything, with files
 *     nothing      what is new, when nothing is
 *     changes      what is new, when 100 items were changed and 10 deleted
 *     again        everything once more
 *     identifiers  a look at the identifiers alone, after that
 *     peer         dspace-rest-client reads PEER_ITEMS items (2,000), where PYTHON names an interpreter that has it
 *
 * `MIX=all` has something odd about every third item (test/house/dspace/sample-repository.ts); `LATENCY_MS` makes every
 * answer late. `again` comes before `changes`, so that nothing is new then.
 */
const [count = '100000', embedMs = '25', version = '10.1', ...chosen] = process.argv.slice(2);
const { PYTHON: python = 'python3', PEER_ITEMS: peerItems = '2000' } = process.env;
const { MIX: mix = 'open', LATENCY_MS: latencyMs = '0' } = process.env;
const wanted = (part: string) => chosen.length === 0 || chosen.includes(part);
const perThousand = (requests: number, items: number) => Number(((requests * 1000) / items).toFixed(1));

interface Told {
  readonly counts: Readonly<Record<string, number>>;
  readonly usageEvents: number;
}

const server = start('../house/dspace/serve', [count, version, mix, embedMs, latencyMs]);
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
try {
  const { rest, control } = JSON.parse(await firstLine(server)) as { rest: string; control: string };

  async function told(): Promise<Told> {
    return (await (await fetch(`${control}/counts`)).json()) as Told;
  }

  /** What it took, and what the server was asked meanwhile. */
  async function measure(name: string, work: () => Promise<Record<string, unknown> | undefined>) {
    const before = await told();
    const result = await work();
    if (result === undefined) return;
    const after = await told();
    const kinds = Object.entries(after.counts).map(
      ([kind, requests]) => [kind, requests - (before.counts[kind] ?? 0)] as const,
    );
    const requests = kinds.reduce((sum, [, times]) => sum + times, 0);
    const items = Number(result.items);
    print({
      name,
      ...result,
      itemsPerSecond: Number((items / Number(result.seconds)).toFixed(1)),
      requests,
      ...(items > 0 ? { requestsPerThousandItems: perThousand(requests, items) } : {}),
      kinds: Object.fromEntries(kinds.filter(([, times]) => times > 0)),
      usageEvents: after.usageEvents - before.usageEvents,
    });
  }

  const ours = (mode: string) => async () =>
    JSON.parse(
      await firstLine(start('once/dspace-once', [rest, join(directory, 'bench.db'), mode])),
    ) as Record<string, unknown>;

  const peer = (way: string) => async () => {
    const script = join(process.cwd(), 'test', 'bench', 'peers', 'dspace-peer.py');
    // Not `spawnSync`: what it has to say of a missing library is no news, and one line is enough.
    const child = spawn(python, [script, rest, peerItems, way], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      return JSON.parse(await firstLine(child)) as Record<string, unknown>;
    } catch {
      print({ name: `dspace-rest-client, ${way}`, skipped: `${python} does not have it` });
      return undefined;
    }
  };

  print({ items: Number(count), embedMs: Number(embedMs), version, mix, latencyMs: Number(latencyMs) });
  if (wanted('full')) await measure('full', ours('full'));
  if (wanted('nothing')) await measure('nothing', ours('incremental'));
  if (wanted('again')) await measure('again', ours('full'));
  if (wanted('changes')) {
    // Deleted first, because the same items would be chosen.
    await fetch(`${control}/delete?count=10`, { method: 'POST' });
    await fetch(`${control}/touch?count=100&salt=changed`, { method: 'POST' });
    await measure('changes', ours('incremental'));
  }
  if (wanted('identifiers')) await measure('identifiers', ours('identifiers'));
  if (wanted('peer')) {
    await measure('dspace-rest-client, plain', peer('plain'));
    await measure('dspace-rest-client, embeds', peer('embeds'));
  }
} finally {
  server.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
