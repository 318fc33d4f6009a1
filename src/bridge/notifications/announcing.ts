import { createHmac } from 'node:crypto';
import { toIso } from '../../core/datetime.ts';
import { announce, uuidOf } from '../../core/notifications/announcement.ts';
import { retryDelay } from '../../core/push/limits.ts';
import { inboxPath, toUri } from '../../core/uris.ts';
import { createShareLink } from '../../store/alerts/share-links.ts';
import type { Bridge } from '../bridge.ts';
import type { Callbacks } from '../push/callbacks.ts';
import type { Sender } from '../push/senders.ts';
import { reportTopics } from './partners.ts';

/** Of Linked Data Notifications, as the libraries of COAR Notify send it. */
const mediaType = 'application/ld+json;profile="https://www.w3.org/ns/activitystreams"';

/** Tells a partner where it reads how harvests of its repository go. */
export function createAnnouncer(
  { config, database, clock }: Pick<Bridge, 'config' | 'database' | 'clock'>,
  callbacks: Pick<Callbacks, 'call'>,
): Sender {
  return async ({ subscription, notification, now }) => {
    const { topic, callback: url, secret = '', attempts } = subscription;
    const { seq, createdAt, content } = notification;
    const report = reportTopics(config).get(topic);
    if (report?.inbox !== url) return { kind: 'nothing', seq };
    const { partner, source, service } = report;
    const id = `urn:uuid:${uuidOf(`${config.baseUrl} ${topic} ${seq} ${createdAt} ${url}`)}`;
    const key = createHmac('sha256', secret).update(id).digest('base64url');
    const link = { source, contact: `COAR Notify ${partner}`, message: id, secret: key };
    await createShareLink(database, link, toIso(clock.now()));
    const { summary } = JSON.parse(content.toString()) as { readonly summary: string };
    const announcement = announce({
      ...{ id, summary, page: `${config.baseUrl}/share/${key}` },
      from: { id: config.baseUrl, inbox: toUri(config.baseUrl, inboxPath), name: config.title },
      to: { id: service, inbox: url },
      about: config.sources[source]?.url ?? service,
    });
    const answer = await callbacks.call({
      ...{ url, method: 'POST', headers: { 'content-type': mediaType } },
      body: Buffer.from(JSON.stringify(announcement)),
    });
    // LDN: it was created, or will be; anything else is no answer of an inbox.
    if (answer.status === 201 || answer.status === 202) return { kind: 'delivered', seq };
    const dueAt = now + retryDelay(attempts + 1);
    return answer.status === undefined
      ? { kind: 'failed', reason: answer.reason, counted: answer.counted, dueAt }
      : {
          ...{ kind: 'failed', reason: `it answered ${answer.status}`, dueAt },
          counted: `${Math.floor(answer.status / 100)}xx`,
        };
  };
}
