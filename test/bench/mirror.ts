import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { firstLine, print, start } from './once/processes.ts';

/**
 * How fast the files of a source are mirrored: downloaded, hashed, synced and published as resources, beside
 * `curl --parallel` on the same list, which does none but the first, and with a sync of what it wrote:
 * `npm run bench mirror [FILES] [BYTES] [REQUESTS]`, by default 4,000 files of 1 MB, 8 at a time. Target: 60 % of
 * curl. The server has a process of its own; curl is left out where it is not installed.
 */
const [files = '4000', bytes = '1000000', requests = '8'] = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const provider = start('upstreams/file-provider', [bytes]);
try {
  const url = await firstLine(provider);
  const curl = fetchAll(url);
  spawnSync('sync');
  const own = JSON.parse(await firstLine(start('once/mirror-once', [place, url, files, requests]))) as {
    seconds: number;
    downloaded: number;
  };
  if (own.downloaded !== Number(files)) throw new Error(`${own.downloaded} of ${files} were downloaded`);
  const rounded = (value: number | undefined) => (value === undefined ? undefined : Number(value.toFixed(2)));
  print({
    ...own,
    seconds: rounded(own.seconds),
    megabytesPerSecond: Math.round((Number(files) * Number(bytes)) / 1e6 / own.seconds),
    peerSeconds: rounded(curl?.seconds),
    peerSecondsSynced: rounded(curl?.synced),
    ratio: rounded(curl && curl.seconds / own.seconds),
    ratioSynced: rounded(curl && curl.synced / own.seconds),
  });
} finally {
  provider.kill();
  rmSync(place, { recursive: true, force: true });
}

function fetchAll(url: string): { readonly seconds: number; readonly synced: number } | undefined {
  const directory = join(place, 'peer');
  mkdirSync(directory);
  const list = Array.from(
    { length: Number(files) },
    (_, index) => `url = "${url}/${index}"\noutput = "${join(directory, String(index))}"\n`,
  );
  writeFileSync(join(place, 'list'), list.join(''));
  spawnSync('sync');
  const args = [
    '--parallel',
    '--parallel-max',
    requests,
    '--silent',
    '--fail',
    '--config',
    join(place, 'list'),
  ];
  const started = performance.now();
  const { status, error } = spawnSync('curl', args, { stdio: ['ignore', 2, 2] });
  const seconds = (performance.now() - started) / 1000;
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined;
  if (status !== 0) throw new Error(`curl failed (${status})`, { cause: error });
  spawnSync('sync');
  const synced = (performance.now() - started) / 1000;
  rmSync(directory, { recursive: true });
  return { seconds, synced };
}
