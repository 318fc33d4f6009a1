// `node .ci/installed.mjs [NODE …]`: packs the package, installs it from the npm registry into an empty folder, and runs
// its demo there as a user does, with `npx`; with each NODE (a path) its launcher. Ends with 1 where anything is not as promised.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '..');
const place = mkdtempSync(join(tmpdir(), 'rsbridge-installed-'));
const folder = join(place, 'empty');
const patience = 120_000;

try {
  if (!hasRegistry()) process.stdout.write('SKIPPED: the npm registry cannot be reached\n');
  else {
    install();
    const nodes = process.argv.slice(2);
    await demo('npx', ['rsbridge']);
    for (const node of nodes)
      await demo(node, [
        join(folder, 'node_modules', 'resourcesync-bridge', 'src', 'launcher', 'rsbridge.cjs'),
      ]);
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}

function hasRegistry() {
  try {
    execFileSync('npm', ['view', 'commander', 'version'], { stdio: 'ignore', cwd: place });
    return true;
  } catch {
    return false;
  }
}

function install() {
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', place], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ filename, files }] = JSON.parse(packed.slice(packed.indexOf('[\n')));
  const surplus = files
    .map(({ path }) => path)
    .filter((path) => /\.(?:map|tsbuildinfo)$|(?:^|\/)test\//.test(path));
  if (surplus.length > 0) throw new Error(`the package has what it should not have: ${surplus}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-progress', join(place, filename)], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function demo(command, before) {
  const data = mkdtempSync(join(place, 'demo-'));
  const args = [...before, 'demo', '--port', '0', '--data', data, '--edit-every', '0', '--json'];
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let words = '';
  child.stderr.on('data', (chunk) => {
    words += chunk;
  });
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), patience);
  try {
    const addresses = [];
    for await (const line of createInterface({ input: child.stdout })) {
      addresses.push(JSON.parse(line).url);
      if (line.includes('/about')) break;
    }
    if (addresses.length < 5) throw new Error(`the demo of ${command} ended:\n${words}`);
    for (const address of addresses) {
      const response = await fetch(address);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${address} answers ${response.status}`);
    }
    if (/warning|error|\n {4}at /i.test(words)) throw new Error(`the demo of ${command} says:\n${words}`);
    process.kill(-child.pid, 'SIGINT');
    await once(child, 'exit');
    process.stdout.write(
      `${command}: the demo of the installed package answers at ${addresses.length} addresses\n`,
    );
  } finally {
    clearTimeout(timer);
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
  }
}
