import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { MementosConfig } from '../core/config/config.ts';
import { BridgeError } from '../core/errors.ts';
import { noteRefusal } from '../harvest/files/note-refusal.ts';
import { createApp } from '../server/app.ts';
import { createClientAddress } from '../server/connections/client-address.ts';
import type { ServerDeps } from '../server/deps.ts';
import { createDocumentPasts } from '../server/past/document-past.ts';
import { createRequestMetrics } from '../server/request-metrics.ts';
import { forAnswers } from '../store/engine/database.ts';
import { adminAnswers } from './admin/admin-answers.ts';
import { sharedByLink } from './alerts/shared-links.ts';
import type { Bridge } from './bridge.ts';
import { createDraftActs } from './drafts/draft-acts.ts';
import { openFollower } from './following/receiving.ts';
import { openInbox } from './notifications/taking.ts';
import { createJointOffers, oaiOfferOf } from './oai/offers.ts';
import { connectionsWithin, openFilesLimit } from './open-files.ts';
import { pushOffer } from './push/offer.ts';
import { searchedSources } from './search/searched-sources.ts';
import { createPrivacy } from './state/privacy.ts';
import { createStorageLook } from './state/storage.ts';
import { servesSource } from './state/stored-sources.ts';
import { createSurvey } from './state/survey.ts';
import { version } from './version.ts';
import { createTakedownActs } from './withdrawals/takedown-acts.ts';

/** What answers requests, in this process or in others. */
export interface Front {
  /** Where it really listens. */
  readonly address: AddressInfo;
  /** Finishes the answers under way. */
  close(): Promise<void>;
}

export interface AnswerDeps extends Pick<ServerDeps, 'admit' | 'processes' | 'metrics' | 'requestMetrics'> {
  /** `operations`: only how it is doing; `admin`: that, and the dashboard. */
  readonly scope?: 'all' | 'operations' | 'admin';
}

/** Of a source that was removed. */
const ofRemoved: MementosConfig = { links: 'none', ofDeleted: false, keep: 'all' };

/** @throws BridgeError `port-in-use` */
export async function listenAlone(
  bridge: Bridge,
  address: { readonly host: string; readonly port: number },
  deps: AnswerDeps,
): Promise<Front> {
  const { admin } = bridge.config;
  const apart = deps.scope === 'operations' || !admin.enabled ? undefined : admin.listen;
  // Both listeners tell of all requests to this process.
  const all = { ...deps, requestMetrics: createRequestMetrics() };
  const metrics = apart === undefined || bridge.config.listen.metrics ? 'here' : 'elsewhere';
  const app = createAnswers(bridge, { ...all, metrics }, apart === undefined);
  await listen(app, address);
  const close = async () => app.close();
  const front = { address: app.server.address() as AddressInfo, close };
  if (!apart) return front;
  const dashboard = createAnswers(bridge, { ...all, admit: undefined, scope: 'admin' }, true);
  try {
    await listen(dashboard, apart);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...front, close: async () => void (await Promise.all([close(), dashboard.close()])) };
}

/** @param withAdmin whether the dashboard is at this address */
function createAnswers(bridge: Bridge, { scope, ...given }: AnswerDeps, withAdmin: boolean): FastifyInstance {
  const { config, log } = bridge;
  const reading = { ...bridge, database: forAnswers(bridge.database) };
  const drafts = createDraftActs(bridge);
  const takedown = createTakedownActs(bridge);
  const survey = createSurvey(reading);
  const storage = createStorageLook(reading, survey);
  const answers: ServerDeps = {
    database: reading.database,
    publication: bridge.publication,
    directory: config.directory,
    fileMode: (source) => config.sources[source]?.files.mode,
    servesSource: (source) =>
      bridge.jointSets().some(({ path }) => path.split('/', 1)[0] === source) ||
      servesSource(reading, source),
    privacy: createPrivacy(bridge),
    mementosOf: (source) => config.sources[source]?.mementos ?? ofRemoved,
    documentPasts: createDocumentPasts({ ...reading, baseUrl: config.baseUrl }),
    upstreamFiles: bridge.upstreamFiles,
    noteRefusal: async (source, url, refusal) => {
      const settings = config.sources[source];
      if (settings) await noteRefusal(reading, { source, url, ...refusal }, settings);
    },
    baseUrl: config.baseUrl,
    title: config.title,
    version,
    pages: config.pages,
    robots: config.publish.robots,
    clock: bridge.clock,
    clientOf: createClientAddress(config.listen.trustedProxies),
    connections: {
      most: connectionsWithin(openFilesLimit()),
      floor: {
        bytesPerSecond: config.listen.minBytesPerSecond,
        graceSeconds: config.listen.slowReaderSeconds,
      },
    },
    log,
    setsOf: (source, title) => bridge.setsOf(source, title),
    oai: (source) => oaiOfferOf(config, source),
    jointOai: createJointOffers(config),
    search: config.search ? searchedSources(config) : undefined,
    jointSets: () => bridge.jointSets(),
    admin: withAdmin ? adminAnswers(bridge, drafts, takedown, survey.lookAgain) : undefined,
    shared: sharedByLink(reading),
    inbox: openInbox(bridge),
    push: pushOffer(config),
    follower: openFollower(bridge),
    ...survey,
    storage: storage.storage,
    upstreamAnswers: bridge.upstreamAnswers.counts,
    ...given,
  };
  const app = createApp(answers, scope);
  app.addHook('onClose', async () => {
    storage.close();
    await Promise.all([drafts.close(), takedown.close()]);
  });
  return app;
}

async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await app.close();
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new BridgeError('port-in-use', `port ${port} on ${host} is taken`, { cause });
    if (code === 'EACCES')
      throw new BridgeError('port-in-use', `port ${port} may not be opened by this user`, { cause });
    throw cause;
  }
}
