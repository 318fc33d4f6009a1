import { createIsFrom } from '../../server/connections/client-address.ts';
import type { AdminDeps, KeptSettings, NewSourceActs, TakedownActs } from '../../server/deps.ts';
import { addWebhook, endSubscription, listAll, trySubscription } from '../push/subscription-acts.ts';
import { changeKept, refuseOfFile, removeKept, tagOfSettings } from '../sources/kept-source-acts.ts';
import { patchedSettings } from '../sources/patched-settings.ts';
import { settingsInForce } from '../sources/settings-in-force.ts';
import { askNow, pauseNow, rejectDeletions, resumeNow, stopNow } from '../sources/source-acts.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { publicLink } from './first-password.ts';
import { publishNow, reloadNow } from './installation-acts.ts';
import { installationSettings } from './installation-settings.ts';

type Answered = Pick<
  StoredBridge,
  'config' | 'database' | 'clock' | 'origins' | 'reload' | 'setsOf' | 'jointSets'
>;

/** What the dashboard is given; undefined where it is switched off. @param decided told of a decision about a source */
export function adminAnswers(
  bridge: Answered,
  newSources: NewSourceActs,
  takedown: TakedownActs,
  decided: () => void,
): AdminDeps | undefined {
  const { admin, adminPassword } = bridge.config;
  if (!admin.enabled) return undefined;
  const { header = '', from = [] } = admin.proxyLogin ?? {};
  const isProxy = createIsFrom(from);
  const name = header.toLowerCase();
  return {
    passwordConfigured: adminPassword !== undefined,
    nameOf: (request) => {
      const given = name !== '' && isProxy(request) ? request.headers[name] : undefined;
      return typeof given === 'string' && given !== '' ? given : undefined;
    },
    settings: () => installationSettings(bridge),
    acts: {
      pause: async (sources, how, by) => void (await pauseNow(bridge, sources, how, by)),
      resume: async (sources, by) => void (await resumeNow(bridge, sources, by)),
      ask: (sources, what, by) => askNow(bridge, sources, what, by),
      stop: async (sources, by) => void (await stopNow(bridge, sources, by)),
      reject: async (source, run, by) => {
        await rejectDeletions(bridge, source, run, by);
        decided();
      },
      settingsOf: (source) => settingsInForce(bridge, source),
      keptSettings: async (source) => withTag((await refuseOfFile(bridge, source)).settings),
      change: async (source, patch, by, expected) =>
        withTag(await changeKept(bridge, source, (before) => patchedSettings(before, patch), by, expected)),
      remove: (source, by, expected) => removeKept(bridge, source, by, expected),
    },
    newSources,
    takedown,
    installation: {
      publish: (what, by) => publishNow(bridge, what, by),
      reload: (by) => reloadNow(bridge, by),
      linkOf: (secret) => publicLink(bridge.config, secret),
    },
    subscriptions: {
      list: () => listAll(bridge),
      add: (wanted, by) => addWebhook(bridge, wanted, by),
      remove: async (id, by) => void (await endSubscription(bridge, id, by)),
      test: (id, by) => trySubscription(bridge, id, by),
    },
  };
}

function withTag(settings: KeptSettings['settings']): KeptSettings {
  return { settings, tag: tagOfSettings(settings) };
}
