import type { Http } from '../../core/adapter.ts';
import { BridgeError } from '../../core/errors.ts';
import { linkTargets } from '../../resourcesync/discovery/link-field.ts';
import { readDocument } from '../../resourcesync/documents/document-reader.ts';

/** Where a Source tells of the changes of a set, and who passes that on. */
export interface Channel {
  readonly topic: string;
  readonly hub: string;
}

const deadline = 30_000;
const longestList = 1024 * 1024;
/** A set has one; whoever names more is not asked for all of them. */
const mostChannels = 3;

/**
 * The channels of Change Notification that a Capability List names, or the header of its answer.
 * @throws BridgeError where it cannot be read
 */
export async function findChannels(
  uri: string,
  http: Http,
  signal: AbortSignal,
): Promise<readonly Channel[]> {
  const response = await http.get(uri, { signal, deadline, maxBytes: longestList });
  if (response.status !== 200) {
    await response.discard();
    throw new BridgeError('upstream-status', `${uri} answered ${response.status}`);
  }
  const { link } = response.headers;
  const named: { topic: string; hub: string | undefined }[] = [];
  await readDocument(
    response.body,
    {
      head: () => undefined,
      entry: ({ locs: [loc], md, links }) => {
        if (md[0]?.get('capability') !== 'change-notification' || loc === undefined) return;
        const hub = links.find((one) => one.get('rel') === 'hub')?.get('href');
        const [topic, at] = [absolute(loc, response.url), hub && absolute(hub, response.url)];
        if (topic !== undefined) named.push({ topic, hub: at });
      },
    },
    () => undefined,
    { forgiving: true },
  );
  const channels: Channel[] = [];
  for (const { topic, hub } of named.slice(0, mostChannels)) {
    const found = hub === undefined ? await ofTopic(topic, http, signal) : { topic, hub };
    if (found) channels.push(found);
  }
  if (channels.length > 0) return channels;
  const [hub, self] = ['hub', 'self'].map((relation) => linkTargets(link, relation, response.url)[0]);
  return hub === undefined || self === undefined ? [] : [{ topic: self, hub }];
}

/** A topic is what it calls itself. */
async function ofTopic(uri: string, http: Http, signal: AbortSignal): Promise<Channel | undefined> {
  const { status, headers, url, discard } = await http.get(uri, { signal, deadline, maxBytes: longestList });
  await discard();
  const [hub] = linkTargets(headers.link, 'hub', url);
  const [topic = uri] = linkTargets(headers.link, 'self', url);
  return status === 200 && hub !== undefined ? { topic, hub } : undefined;
}

function absolute(text: string, base: string): string | undefined {
  return URL.canParse(text.trim(), base) ? new URL(text.trim(), base).href : undefined;
}
