import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';

const deploy = join(import.meta.dirname, '..', '..', '..', 'deploy');

/** A proxy that has begun, with a file of `deploy/` in which only host, port and certificate are others. */
export type StartProxy = (directory: string, port: number, bridgePort: number) => ChildProcess;

export function startNginx(nginx: string): StartProxy {
  return (directory, port, bridgePort) => {
    const site = readFileSync(join(deploy, 'nginx', 'rsbridge.conf'), 'utf8')
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('127.0.0.1:8080', `127.0.0.1:${bridgePort}`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(directory, name)};`)
      .join('\n');
    const file = join(directory, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; worker_processes 1; pid ${join(directory, 'nginx.pid')}; error_log stderr warn;
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http { access_log off; ${paths}
${site}
}`,
    );
    return start(nginx, ['-p', directory, '-c', file, '-e', 'stderr']);
  };
}

export function startCaddy(caddy: string): StartProxy {
  return (directory, port, bridgePort) => {
    const site = readFileSync(join(deploy, 'caddy', 'Caddyfile'), 'utf8')
      .replace('rs.example.org {', `http://127.0.0.1:${port} {\n\tbind 127.0.0.1`)
      .replace('127.0.0.1:8080', `127.0.0.1:${bridgePort}`);
    const file = join(directory, 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
    return start(caddy, ['run', '--adapter', 'caddyfile', '--config', file], {
      XDG_DATA_HOME: directory,
      XDG_CONFIG_HOME: directory,
    });
  };
}

export function startApache(apache: string): StartProxy {
  return (directory, port, bridgePort) => {
    const modules = join(dirname(dirname(apache)), 'lib', 'apache2', 'modules');
    const loaded = [
      'mpm_event',
      'authz_core',
      'alias',
      'env',
      'headers',
      'deflate',
      'filter',
      'proxy',
      'proxy_http',
    ];
    const site = readFileSync(join(deploy, 'apache', 'rsbridge.conf'), 'utf8')
      .replace('<VirtualHost *:80>', `<VirtualHost 127.0.0.1:${port}>`)
      .replace('127.0.0.1:8080', `127.0.0.1:${bridgePort}`);
    const file = join(directory, 'apache2.conf');
    mkdirSync(join(directory, 'run'));
    writeFileSync(
      file,
      `${loaded.map((name) => `LoadModule ${name}_module ${join(modules, `mod_${name}.so`)}`).join('\n')}
ServerRoot ${directory}
DefaultRuntimeDir ${join(directory, 'run')}
PidFile ${join(directory, 'apache2.pid')}
Mutex file:${join(directory, 'run')} default
Listen 127.0.0.1:${port}
ServerName 127.0.0.1
${process.getuid?.() === 0 ? 'User nobody\nGroup nogroup' : ''}
ErrorLog ${join(directory, 'error.log')}
LogLevel error
# What Debian switches on for everybody, which must not reach what is not ours to compress.
AddOutputFilterByType DEFLATE text/html text/plain text/xml application/xml
${site}`,
    );
    return start(apache, ['-D', 'FOREGROUND', '-f', file]);
  };
}

function start(file: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });
}

/** Waits until something answers there. */
export async function answering(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 2400; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const answer = await request(url).catch(() => undefined);
    await answer?.body.dump();
    if (answer && answer.statusCode < 500) return;
    await setTimeout(50);
  }
  throw new Error(`nothing answers at ${url}`);
}
