import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { rsbridge } from '../../house/cli/processes.ts';
import { type Stranger, startStranger } from '../../house/interop/stranger.ts';
import { freePort } from '../../house/process/free-port.ts';
import { type Certificate, type Front, makeCertificate, startFront } from '../../house/push/tls.ts';

/** Flask-WebSub, of a Python that has it, and pubsubhubbub of npm (`.ci/run` sees to both). */
const python = process.env.WEBSUB_PYTHON ?? '';
const pubsubhubbub = process.env.PUBSUBHUBBUB ?? '';
if (python === '') process.stderr.write('SKIPPED: WEBSUB_PYTHON names no Python with Flask-WebSub\n');
if (pubsubhubbub === '') process.stderr.write('SKIPPED: PUBSUBHUBBUB names no module pubsubhubbub\n');

interface Event {
  readonly event: string;
  readonly body?: string;
  readonly signature?: string;
  readonly [more: string]: unknown;
}

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-websub-'));
const house = join(import.meta.dirname, '..', '..', 'house', 'interop');
const repository = createSampleRepository({ clock: systemClock, seed: 5, records: 12 });
const fronts: Front[] = [];
const strangers: Stranger<Event>[] = [];
const served: ReturnType<typeof rsbridge>[] = [];
const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
const told = ({ events }: Stranger<Event>) => events.filter(({ event }) => event === 'told');

afterAll(async () => {
  for (const stranger of strangers) stranger.end();
  for (const { child, finished } of served) {
    child.kill('SIGTERM');
    await finished;
  }
  for (const front of fronts) front.close();
  await repository.close();
  rmSync(directory, { recursive: true, force: true });
});

function stranger(command: string, args: readonly string[], { certFile }: Certificate): Stranger<Event> {
  const env = { REQUESTS_CA_BUNDLE: certFile, NODE_EXTRA_CA_CERTS: certFile };
  const started = startStranger<Event>(command, args, env);
  strangers.push(started);
  return started;
}

/** A bridge that reads nothing by itself, behind https, with one source of its name. */
async function openStation(name: string, certificate: Certificate, source: object, push: object) {
  const cwd = join(directory, name);
  mkdirSync(cwd);
  const port = await freePort();
  const front = await startFront(certificate, port);
  fronts.push(front);
  const silent = { files: { mode: 'none' }, schedule: false, fullPass: false, identifierPass: false };
  const config = {
    ...{ baseUrl: front.base, listen: { host: '127.0.0.1', port }, search: false, push },
    database: { client: 'sqlite', file: join(cwd, 'bridge.db') },
    directory: join(cwd, 'data'),
    sources: { [name]: { allowPrivateAddresses: true, ...silent, ...source } },
  };
  writeFileSync(join(cwd, 'rsbridge.yaml'), stringify(config));
  const env = { NODE_EXTRA_CA_CERTS: certificate.certFile };
  return {
    base: front.base,
    harvest: async () => {
      const { code, stderr } = await rsbridge(['harvest', name], cwd, env).finished;
      expect(stderr).not.toContain('failed');
      expect(code).toBe(0);
    },
    serve: async () => {
      served.push(rsbridge(['serve'], cwd, env));
      for (const path of ['changelist.xml', 'change-notification.xml'])
        await soon(async () =>
          expect((await fetch(`http://127.0.0.1:${port}/${name}/${path}`)).status).toBe(200),
        );
    },
  };
}

test.skipIf(python === '')(
  'a change goes through the hub of Flask-WebSub to another bridge, and from there to Flask-WebSub and pubsubhubbub, signed, over TLS',
  { timeout: 180_000 },
  async () => {
    const certificate = makeCertificate(directory);
    const { certFile, keyFile } = certificate;
    const { url } = await repository.listen();
    const hubPort = await freePort();
    const hubArgs = [join(house, 'websub-hub.py'), String(hubPort), directory, certFile, keyFile];
    const hub = stranger(python, hubArgs, certificate);
    const first = await openStation(
      'kyushu',
      certificate,
      { url },
      {
        ...{ externalHubs: [`https://127.0.0.1:${hubPort}/hub`], allow: ['127.0.0.1'] },
      },
    );
    await first.harvest();
    await first.serve();
    const followed = { adapter: 'resourcesync', url: `${first.base}/kyushu/capabilitylist.xml` };
    const second = await openStation('nation', certificate, followed, { hub: true, allow: ['127.0.0.1'] });
    await second.harvest();
    await second.serve();
    const topic = `${first.base}/kyushu/change-notification.xml`;
    await soon(() => expect(hub.events).toContainEqual({ event: 'confirmed', topic }));
    expect(hub.events[0]).toEqual({ event: 'asked', topic, hasSecret: true });

    const own = `${second.base}/nation/change-notification.xml`;
    const flask = stranger(
      python,
      [join(house, 'websub-subscriber.py'), own, directory, certFile, keyFile],
      certificate,
    );
    await soon(() => expect(flask.events).toContainEqual({ event: 'subscribe', topic: own }));
    expect(flask.events[0]).toEqual({
      ...{ event: 'discovered', hub_url: `${second.base}/hub`, topic_url: own },
    });
    const node =
      pubsubhubbub === ''
        ? undefined
        : stranger(
            process.execPath,
            [
              join(house, 'pubsubhubbub.cjs'),
              pubsubhubbub,
              own,
              `${second.base}/hub`,
              String(await freePort()),
            ],
            certificate,
          );
    if (node)
      await soon(() => expect(node.events).toContainEqual(expect.objectContaining({ event: 'subscribe' })));

    for (let edit = 0; edit < 3; edit += 1) repository.edit();
    await first.harvest();
    await soon(() => expect(told(flask)).not.toEqual([]));
    expect(told(flask)[0]).toMatchObject({
      body: expect.stringContaining('capability="change-notification"'),
      signature: expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    });
    if (node) {
      await soon(() => expect(told(node)).not.toEqual([]));
      expect(told(node)[0]).toMatchObject({ hub: `${second.base}/hub`, body: told(flask)[0]?.body });
    }
    for (const [one, line] of [
      [flask, 'leave'],
      [node, 'leave'],
    ] as const)
      one?.say(line);
    for (const one of [flask, ...(node ? [node] : [])])
      await soon(() => expect(one.events).toContainEqual(expect.objectContaining({ event: 'unsubscribe' })));
  },
);
