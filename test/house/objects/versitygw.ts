import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A real object storage on this machine: versitygw, where it is installed (`.ci/run` does that). */
export interface ObjectServer {
  readonly endpoint: string;
  readonly bucket: string;
  /** Where the bucket's objects are files. */
  readonly directory: string;
  /** It answers no more, as where its machine has failed; what it has stays. */
  interrupt(): Promise<void>;
  /** At the same address, with what it had. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

export const accessKeyId = 'test-access-key';
export const secretAccessKey = 'test-secret-of-the-object-storage';

export const versitygw = find();

if (versitygw === undefined) {
  process.stderr.write(
    'SKIPPED: tests with a real object storage need versitygw in PATH, or VERSITYGW=/path/to/versitygw\n',
  );
}

function find(): string | undefined {
  const { VERSITYGW, PATH = '' } = process.env;
  if (VERSITYGW) return VERSITYGW;
  const places = [...PATH.split(delimiter), join(tmpdir(), 'rsbridge-versitygw')];
  return places.map((place) => join(place, 'versitygw')).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function startVersitygw(bucket = 'bridge'): Promise<ObjectServer> {
  const root = mkdtempSync(join(tmpdir(), 'rsbridge-objects-'));
  mkdirSync(join(root, bucket));
  for (let attempt = 0; ; attempt += 1) {
    const port = await freePort();
    // Another process may have taken the port meanwhile.
    const first = await startAt(port, root);
    if (!first) {
      if (attempt === 5) throw new Error('versitygw does not start');
      continue;
    }
    let end: (() => Promise<void>) | undefined = first;
    const interrupt = async () => {
      await end?.();
      end = undefined;
    };
    return {
      endpoint: `http://127.0.0.1:${port}`,
      bucket,
      directory: join(root, bucket),
      interrupt,
      resume: async () => {
        end ??= await startAt(port, root);
        if (!end) throw new Error('versitygw does not start again');
      },
      close: async () => {
        await interrupt();
        rmSync(root, { recursive: true, force: true });
      },
    };
  }
}

/** @returns what ends it; undefined where it does not answer at that port */
async function startAt(port: number, root: string): Promise<(() => Promise<void>) | undefined> {
  const child = spawn(versitygw ?? '', ['--quiet', '--port', `127.0.0.1:${port}`, 'posix', root], {
    env: { ...process.env, ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
    stdio: 'ignore',
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = () => {
    process.off('exit', kill);
    kill();
    return ended;
  };
  if (await answers(port, () => child.exitCode !== null)) return end;
  await end();
  return undefined;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(port: number, isOver: () => boolean): Promise<boolean> {
  for (let asked = 0; asked < 1200 && !isOver(); asked += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return true;
    await sleep(50);
  }
  return false;
}
