import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `npm run picture`: docs/home.png anew, the home page of the demo as a Chromium on this machine shows it.
 * `CHROMIUM` names the browser, `PORT` another port than the demo's own. A font with Japanese has to be installed.
 */
const root = join(import.meta.dirname, '..', '..');
const names = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome'].filter(Boolean);
const browser = names.find((name) => answers(name));
if (browser === undefined) {
  throw new Error(`no browser found (${names.join(', ')}): install Chromium, or name one with CHROMIUM`);
}

const port = process.env.PORT ?? '8080';
const data = mkdtempSync(join(tmpdir(), 'rsbridge-picture-'));
const demo = spawn(
  process.execPath,
  [
    join(root, 'src', 'launcher', 'rsbridge.cjs'),
    'demo',
    '--port',
    port,
    '--data',
    data,
    '--edit-every',
    '0',
    '--json',
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  // The addresses are printed when everything is published.
  await new Promise((resolve, reject) => {
    demo.stdout.once('data', resolve);
    demo.once('exit', (code) => reject(new Error(`the demo ended with ${code}`)));
  });
  const picture = join(root, 'docs', 'home.png');
  const size = ['--window-size=1100,840', '--hide-scrollbars', '--force-device-scale-factor=1'];
  // Started as root, a Chromium has no sandbox; it opens our own page alone.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = ['--headless=new', '--disable-gpu', ...sandbox, ...size, `--screenshot=${picture}`];
  execFileSync(browser, [...args, `http://localhost:${port}/`], { stdio: 'inherit', timeout: 120_000 });
} finally {
  demo.kill();
  await new Promise((resolve) => (demo.exitCode === null ? demo.once('exit', resolve) : resolve()));
  rmSync(data, { recursive: true, force: true });
}

function answers(name) {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
