import type { MailConfig } from '../../core/config/alerts-schema.ts';
import type { Config } from '../../core/config/config.ts';
import { toIso } from '../../core/datetime.ts';
import type { AlertChannel } from '../../store/alerts/outbox.ts';
import { productName, version } from '../version.ts';
import type { ChannelPlaces } from './channels/guarded.ts';
import { type Mail, type MailSender, openMail } from './channels/mail.ts';
import { type Posted, postJson, signatureHeaders } from './channels/post.ts';
import { contactsOf } from './contacts.ts';
import type { AlertContent } from './content.ts';
import type { DigestContent } from './digest-content.ts';
import { wordDigest } from './digest-wording.ts';
import type { LinkOf } from './shared-links.ts';
import { nameFor, type Speaker, wordMessage } from './wording.ts';

export interface Outgoing {
  readonly id: string;
  readonly channel: AlertChannel;
  readonly content: AlertContent | DigestContent;
}

/** By which ways those who run the bridge are told. */
export function alertChannels({ mail, alerts }: Config): readonly AlertChannel[] {
  return [
    ...(mail && alerts.to !== undefined ? (['mail'] as const) : []),
    ...(alerts.webhook ? (['webhook'] as const) : []),
    ...(alerts.slack ? (['slack'] as const) : []),
  ];
}

export function postedTo(config: Config, url: string): Posted {
  return { url, places: placesOf(config), userAgent: `${productName}/${version} (+${config.baseUrl})` };
}

function placesOf({ alerts, network }: Config): ChannelPlaces {
  return { allow: network.allow, allowPrivate: alerts.allowPrivateAddresses };
}

/** Sends; one connection to the mail server, until it is closed. */
export class Channels {
  readonly #config: Config;
  readonly #now: () => number;
  readonly #linkOf: LinkOf | undefined;
  #mail: MailSender | undefined;

  /** @param linkOf makes what is sent to those who look after repositories; without it they get no links */
  constructor(config: Config, now: () => number, linkOf?: LinkOf) {
    this.#config = config;
    this.#now = now;
    this.#linkOf = linkOf;
  }

  /**
   * @returns addresses that the mail server did not take, where it took others
   * @throws BridgeError `alert-undelivered`
   */
  async send(message: Outgoing): Promise<readonly string[]> {
    const { alerts, mail } = this.#config;
    const { id, channel, content } = message;
    const letter = { id, at: content.at, sender: nameFor(this.#config.title) };
    if (content.kind === 'digest') {
      // Whoever is not named any more gets no more, though it waited.
      if (!mail || !contactsOf(this.#config).has(content.to)) return [];
      const { to, language } = content;
      const links = new Map<string, string>();
      // Made for this attempt: what is kept of them opens nothing.
      for (const { name } of this.#linkOf ? content.sources : [])
        links.set(name, (await this.#linkOf?.({ source: name, contact: to, message: id })) ?? '');
      const words = wordDigest(content, speakerOf(this.#config), mail.from, links);
      return this.#sendMail(mail, {
        ...{ ...letter, ...words, to: [to], language, unsubscribe: [mailtoOf(mail)] },
      });
    }
    const { subject, text } = wordMessage(content, speakerOf(this.#config));
    if (channel === 'mail' && mail && alerts.to !== undefined) {
      const { language } = alerts;
      const to = [alerts.to].flat();
      const unsubscribe = [mailtoOf(mail)];
      return this.#sendMail(mail, { ...letter, to, subject, text, language, unsubscribe });
    }
    if (channel === 'webhook' && alerts.webhook)
      await this.#callWebhook(alerts.webhook, { id, content }, text);
    if (channel === 'slack' && alerts.slack) {
      const body = JSON.stringify({ text: forSlack(`*${subject}*\n${text}`) });
      await postJson(postedTo(this.#config, alerts.slack.url), body);
    }
    return [];
  }

  async #callWebhook(
    { url, secret }: NonNullable<Config['alerts']['webhook']>,
    { id, content }: { readonly id: string; readonly content: AlertContent },
    text: string,
  ): Promise<void> {
    const { title, baseUrl } = this.#config;
    const { at, kind, ...news } = content;
    const told = { id, type: kind, at: toIso(new Date(at)), installation: { title, baseUrl }, text };
    const body = JSON.stringify({ ...told, ...(isoTimes(news) as object) });
    const seconds = Math.floor(this.#now() / 1000);
    await postJson(postedTo(this.#config, url), body, signatureHeaders({ id, body }, secret, seconds));
  }

  async #sendMail(config: MailConfig, mail: Mail): Promise<readonly string[]> {
    this.#mail ??= openMail(config, { allow: this.#config.network.allow });
    try {
      return await this.#mail.send(mail);
    } catch (error) {
      // The next one begins with a connection of its own.
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#mail?.close();
    this.#mail = undefined;
  }
}

export function speakerOf({ title, baseUrl, alerts, timeZone, admin }: Config): Speaker {
  const isPublic = admin.enabled && admin.listen === undefined;
  return {
    ...{ title, baseUrl, timeZone, language: alerts.language },
    dashboard: isPublic ? `${baseUrl}/admin` : undefined,
  };
}

function mailtoOf({ from }: MailConfig): string {
  return `mailto:${from}?subject=unsubscribe`;
}

/** Three characters mean something there. */
function forSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Milliseconds are for us; others get the times that our documents have. */
function isoTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(isoTimes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isTime = (key === 'since' || key === 'until') && typeof inner === 'number';
      return [key, isTime ? toIso(new Date(inner)) : isoTimes(inner)];
    }),
  );
}
