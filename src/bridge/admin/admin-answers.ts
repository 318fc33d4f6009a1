import { createIsFrom } from '../../server/connections/client-address.ts';
import type { AdminDeps } from '../../server/deps.ts';
import { settingsInForce } from '../sources/settings-in-force.ts';
import { askNow, pauseNow, resumeNow, stopNow } from '../sources/source-acts.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { installationSettings } from './installation-settings.ts';

type Answered = Pick<StoredBridge, 'config' | 'database' | 'clock'>;

/** What the dashboard is given; undefined where it is switched off. */
export function adminAnswers(bridge: Answered): AdminDeps | undefined {
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
    settings: () => installationSettings(bridge.config),
    acts: {
      pause: async (sources, how) => void (await pauseNow(bridge, sources, how)),
      resume: async (sources) => void (await resumeNow(bridge, sources)),
      ask: (sources, what) => askNow(bridge, sources, what),
      stop: async (sources) => void (await stopNow(bridge, sources)),
      settingsOf: async (source) => (await settingsInForce(bridge, source)).settings,
    },
  };
}
