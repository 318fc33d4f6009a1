import type { Config } from '../../core/config/config.ts';
import { createIsFrom } from '../../server/connections/client-address.ts';
import type { AdminDeps } from '../../server/deps.ts';

/** What the dashboard is given; undefined where it is switched off. */
export function adminAnswers({ admin, adminPassword }: Config): AdminDeps | undefined {
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
  };
}
