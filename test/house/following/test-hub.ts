import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Subscription {
  readonly callback: string;
  readonly topic: string;
  readonly secret: string | undefined;
}

/** A hub that does as it is told, and a Source that names it; callbacks to `publicBase` are made at `here()`. */
export interface TestHub {
  readonly origin: string;
  readonly capabilityList: string;
  readonly topic: string;
  /** What it was asked, and how the callback answered; the newest last. */
  readonly asked: { readonly mode: string; readonly callback: string; readonly status: number | undefined }[];
  subscriptions: Subscription[];
  /** Whether it calls back, and what it answers. */
  behaviour: { answer: number; calls: boolean; lease: string; channel: string };
  call(callback: string, query: Record<string, string>): Promise<Response>;
  /** @returns the status of each callback */
  deliver(body: string, sign?: (body: string, secret: string) => Record<string, string>): Promise<number[]>;
  close(): Promise<void>;
}

export async function startTestHub(publicBase: string, here: () => Promise<string>): Promise<TestHub> {
  const server = createServer((request, response) => {
    void respond(request).then(({ status, body = '', headers = {} }) => {
      response.writeHead(status, headers);
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const topic = `${origin}/topic`;
  const at = async (callback: string) => callback.replace(publicBase, await here());

  const hub: TestHub = {
    ...{ origin, topic, capabilityList: `${origin}/capabilitylist.xml`, asked: [], subscriptions: [] },
    behaviour: {
      ...{ answer: 202, calls: true, lease: '3600' },
      channel: `<url><loc>${topic}</loc><rs:ln rel="hub" href="${origin}/hub"/><rs:md capability="change-notification"/></url>`,
    },
    call: async (callback, query) => fetch(`${await at(callback)}?${new URLSearchParams(query)}`),
    deliver: async (body, sign = signed) => {
      const statuses: number[] = [];
      for (const { callback, secret } of hub.subscriptions) {
        const headers = { 'content-type': 'application/xml', ...(secret ? sign(body, secret) : {}) };
        statuses.push((await fetch(await at(callback), { method: 'POST', headers, body })).status);
      }
      return statuses;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function respond(request: IncomingMessage) {
    if (request.url === '/capabilitylist.xml') return { status: 200, body: listWith(hub.behaviour.channel) };
    if (request.url === '/topic')
      return { status: 200, headers: { link: `<${topic}>; rel="self", <${origin}/hub>; rel="hub"` } };
    const [, code, place = ''] = /^\/(30[1278])\/(hub|topic)$/.exec(request.url ?? '') ?? [];
    if (code) return { status: Number(code), headers: { location: `${origin}/${place}` } };
    if (request.url !== '/hub') return { status: 404 };
    const form = new URLSearchParams(await textOf(request));
    const [mode = '', callback = '', about = ''] = ['mode', 'callback', 'topic'].map(
      (name) => form.get(`hub.${name}`) ?? '',
    );
    const entry = { mode, callback, status: undefined as number | undefined };
    hub.asked.push(entry);
    if (!hub.behaviour.calls || hub.behaviour.answer !== 202) return { status: hub.behaviour.answer };
    const challenge = randomUUID();
    const answer = await hub.call(callback, {
      ...{ 'hub.mode': mode, 'hub.topic': about, 'hub.challenge': challenge },
      ...(mode === 'subscribe' && { 'hub.lease_seconds': hub.behaviour.lease }),
    });
    entry.status = answer.status;
    const isConfirmed = answer.ok && (await answer.text()) === challenge;
    const others = hub.subscriptions.filter((one) => one.callback !== callback);
    const own = { callback, topic: about, secret: form.get('hub.secret') ?? undefined };
    if (isConfirmed) hub.subscriptions = mode === 'subscribe' ? [...others, own] : others;
    return { status: 202 };
  }
  return hub;
}

export function signed(body: string, secret: string, method = 'sha256'): Record<string, string> {
  return { 'x-hub-signature': `${method}=${createHmac(method, secret).update(body).digest('hex')}` };
}

function listWith(channel: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"><rs:md capability="capabilitylist"/>${channel}</urlset>`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
