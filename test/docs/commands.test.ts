import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../src/demo/sample-repository.ts';
import { openTypedBeside, type TypedBeside } from '../house/cli/typed-beside.ts';
import { type Block, blocksOf, pagesWithBlocks } from '../house/docs/blocks.ts';
import { freePort } from '../house/process/free-port.ts';
import { type SampleService, startSampleService } from '../house/server/sample-service.ts';
import { makePostgres } from '../house/store/databases.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/**
 * What pages tell people to type is typed here, page by page, from top to bottom: with a repository on a loopback address in
 * place of the one that a page names, in a directory that has what the page before it has led to. Where a page begins with
 * `rsbridge init` the directory is empty.
 */
const run = promisify(execFile);
const { RESYNC_SYNC = '', PATH = '' } = process.env;

/** What `.ci/run` does with a fresh clone itself. */
const doneByCi = /^npm ci && npm (?:run demo|test)$/m;
/** `docs/consume.md` has a test of its own, which looks at what each command leaves. */
const elsewhere = new Set(['docs/consume.md']);
/** Each is a translation whose blocks are those of the page that it translates. */
const isTranslation = (page: string) => page.startsWith('docs/ja/');

/** Addresses of repositories that pages name, the longer ones first. */
const repositories = [
  'https://repo.example.org/oai',
  'https://journals.example.org/index.php/journal',
  'https://repo.example.org',
  'https://repo.example.ac.jp',
  'https://eprints.example.org',
  'https://dataverse.example.org',
  'https://invenio.example.org',
];

let directory: string;
let path: string;
let beside: TypedBeside;
let service: SampleService;
let repository: { readonly url: string; close(): Promise<void> };
let token = '';
let firstItem = '';
const drops: (() => Promise<void>)[] = [];

const pages = pagesWithBlocks().flatMap((page) => {
  const blocks = blocksOf(page).filter(({ language, text }) => language === 'sh' && !doneByCi.test(text));
  return isTranslation(page) || elsewhere.has(page) || blocks.length === 0 ? [] : [{ page, blocks }];
});

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-docs-'));
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  beside = await openTypedBeside({ ...(process.env as Record<string, string>), ...quiet() });
  writeFileSync(join(bin, 'rsbridge'), beside.script);
  chmodSync(join(bin, 'rsbridge'), 0o755);
  path = [bin, ...(RESYNC_SYNC === '' ? [] : [dirname(RESYNC_SYNC)]), PATH].join(delimiter);
  const sample = createSampleRepository({ clock: systemClock, records: 40 });
  const { url } = await sample.listen(0);
  repository = { url, close: () => sample.close() };
  service = await startSampleService('', { files: { mode: 'none' } });
  await service.edit(8);
  const installation = join(directory, 'installation');
  mkdirSync(installation);
  const settings = { url, allowPrivateAddresses: true, files: { mode: 'link' } };
  writeFileSync(
    join(installation, 'rsbridge.yaml'),
    JSON.stringify({ baseUrl: 'http://localhost:8080', sources: { repo: settings } }),
  );
  await typed('rsbridge harvest\nrsbridge publish', installation);
  const { database } = service.bridge.config;
  writeFileSync(join(directory, 'service.yaml'), JSON.stringify({ database, sources: {} }));
  const made = await typed(
    'rsbridge admin tokens add docs --scope admin --json --config service.yaml',
    directory,
  );
  ({ token } = JSON.parse(made.stdout));
  ({ identifier: firstItem } = await service.bridge.database
    .reader('item')
    .orderBy('id')
    .first('identifier'));
});
afterAll(async () => {
  await service?.close();
  await repository?.close();
  await beside?.close();
  for (const drop of drops) await drop();
  rmSync(directory, { recursive: true, force: true });
});

describe.each(pages)('$page', ({ page, blocks }) => {
  test('what it says to type does what it says', async () => {
    const place = join(directory, page.replaceAll('/', '-'));
    const begins = /^(?:npx )?rsbridge init /m.test(blocks[0]?.text ?? '');
    if (begins) mkdirSync(place);
    else cpSync(join(directory, 'installation'), place, { recursive: true });
    mkdirSync(join(place, 'backups'));
    for (const block of blocks) {
      if (isMissing(block)) {
        process.stderr.write(`SKIPPED: commands of ${page} need ${block.needs}\n`);
        continue;
      }
      if (block.needs === 'postgres') await usePostgres(place);
      if (block.needs === 'fresh') useNoSource(place);
      if (block.needs === 'private') usePrivateSource(place);
      await expect(typed(block.text, place), `${page}:\n${block.text}`).resolves.toBeDefined();
    }
  });
});

test('every block says what it is', () => {
  const known = new Set([
    'sh',
    'yaml',
    'text',
    'js',
    'xml',
    'apache',
    'nginx',
    'python',
    'php',
    'json',
    'csv',
  ]);
  const unknown = pagesWithBlocks().flatMap((page) =>
    blocksOf(page).flatMap(({ language, text }) => (known.has(language) ? [] : [`${page}: ${text}`])),
  );
  expect(unknown).toEqual([]);
});

function isMissing({ needs }: Block): boolean {
  const program =
    { '': 'curl', postgres: 'sh', fresh: 'sh', private: 'sh', token: 'curl', resync: 'resync-sync' }[needs] ??
    needs;
  return !path.split(delimiter).some((place) => existsSync(join(place, program)));
}

async function usePostgres(place: string): Promise<void> {
  const { config, drop } = await makePostgres();
  drops.push(drop);
  const sources = { repo: { url: repository.url, allowPrivateAddresses: true, files: { mode: 'link' } } };
  writeFileSync(join(place, 'rsbridge.yaml'), JSON.stringify({ database: config, sources }));
}

/** A bridge before its first source. */
function useNoSource(place: string): void {
  rmSync(join(place, 'data'), { recursive: true });
  const groups = { jairo: { allowPrivateAddresses: true } };
  writeFileSync(join(place, 'rsbridge.yaml'), JSON.stringify({ groups, sources: {} }));
}

function usePrivateSource(place: string): void {
  const embargo = { url: repository.url, allowPrivateAddresses: true, access: {} };
  const sets = { embargo: { collections: ['embargo'], access: {} } };
  const kyushu = { url: repository.url, allowPrivateAddresses: true, sets };
  writeFileSync(join(place, 'rsbridge.yaml'), JSON.stringify({ sources: { embargo, kyushu } }));
}

/**
 * `rsbridge serve` goes on for ever: it is begun, goes on until the block is over, is asked whether it is ready, and
 * has to end by itself when it is told to. So does `rsbridge simulate`, which people put into the background.
 */
const prelude = `set -eu
served=
simulators=
curl() { command curl -f -sS --max-time 60 "$@"; }
rsbridge() {
  case "$1" in
    serve) shift; begin "$@" ;;
    simulate) case "$*" in *--list-faults*) command rsbridge "$@" ;; *) shift; simulate "$@" ;; esac ;;
    init) shift; command rsbridge init "$@" --name repo --base-url "http://localhost:$PORT0" ;;
    *) command rsbridge "$@" ;;
  esac
}
begin() {
  port=$PORT0
  case "$*" in *--port*) port=$(echo "$*" | sed 's/.*--port *//; s/ .*//') ;; *) set -- "$@" --port "$port" ;; esac
  command rsbridge serve "$@" 2> "serve-$port.log" &
  served="$served $!:$port"
}
simulate() {
  command rsbridge simulate "$@" --port "$SIMULATOR_PORT" > addresses.txt 2> simulate.log &
  simulators="$simulators $!"
}
finish() {
  for one in $served; do
    n=0
    until curl -sf -o ready.txt "http://127.0.0.1:\${one#*:}/readyz"; do
      n=$((n + 1)); [ $n -lt 240 ] || { cat "serve-\${one#*:}.log" >&2; exit 1; }; sleep 0.5
    done
  done
  for one in $simulators; do kill -TERM "$one"; wait "$one" || [ $? -eq 130 ] || [ $? -eq 143 ]; done
  for one in $served; do kill -TERM "\${one%:*}"; done
  for one in $served; do wait "\${one%:*}" || [ $? -eq 130 ] || [ $? -eq 143 ]; done
}
`;

const quiet = () => ({ TMPDIR: directory, NO_COLOR: '1' });

async function typed(text: string, place: string): Promise<{ readonly stdout: string }> {
  const [simulatorPort, ...ports] = await Promise.all([0, 1, 2, 3, 4].map(() => freePort()));
  let script = text.replaceAll('npx rsbridge', 'rsbridge').replaceAll(/^(rsbridge simulate.*) &$/gm, '$1');
  for (const address of repositories) script = script.replaceAll(address, repository.url);
  for (const [index, port] of ports.entries())
    script = script.replaceAll(`--port ${8080 + index}`, `--port ${port}`);
  script = script
    .replaceAll('http://localhost:8888', `http://localhost:${simulatorPort}`)
    .replaceAll('http://localhost:8080', service.base)
    .replaceAll('https://rs.example.org', service.base)
    .replaceAll('https://nobody.example.org', 'http://127.0.0.1:1')
    .replaceAll('/sources/kyushu', '/sources/sample')
    .replaceAll(' /backups/', ' backups/')
    .replaceAll('oai:repo.example.org:1', firstItem);
  return run('sh', ['-c', `${prelude}${script}\nfinish`], {
    cwd: place,
    env: {
      ...process.env,
      PATH: path,
      PORT0: String(ports[0]),
      SIMULATOR_PORT: String(simulatorPort),
      TOKEN: token,
      ...quiet(),
    },
    maxBuffer: 64e6,
  });
}
