import type { AddressInfo } from 'node:net';
import type { Config } from '../../core/config/config.ts';
import { toIso } from '../../core/datetime.ts';
import { findAccount, firstAccount, hasAccounts, setPassword } from '../../store/admin/accounts.ts';
import { createLink, type Invitation } from '../../store/admin/links.ts';
import { hashPassword, isPassword } from '../../store/admin/password-hash.ts';
import type { StoredBridge } from '../stored-bridge.ts';

type Stored = Pick<StoredBridge, 'config' | 'database' | 'clock'>;

/**
 * Sees to it that somebody can sign in: the password of the configuration becomes that of the first account; where there is
 * none, and nobody has set one, a link to set it is made.
 * @returns the secret of the link
 */
export async function prepareFirstPassword({ config, database, clock }: Stored): Promise<string | undefined> {
  const { admin, adminPassword } = config;
  if (!admin.enabled) return undefined;
  const now = toIso(clock.now());
  if (adminPassword !== undefined) {
    const account = await findAccount(database.reader, firstAccount);
    // Set anew, it would end everybody's session.
    if (account?.scope !== 'admin' || !(await isPassword(adminPassword, account.password)))
      await setPassword(
        database,
        { name: firstAccount, scope: 'admin', password: await hashPassword(adminPassword) },
        now,
      );
    return undefined;
  }
  if (await hasAccounts(database.reader)) return undefined;
  return createLink(database, firstInvitation, now);
}

/** As a URL writes them. */
const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export const firstInvitation: Invitation = { account: firstAccount, scope: 'admin' };

/**
 * Where a link is opened on this machine itself: until there is a password, nobody else is let in. By the name that `baseUrl` has for
 * this machine, if it has one: a session of 127.0.0.1 is none of localhost.
 */
export function linkOnThisMachine(config: Config, secret: string, listening?: AddressInfo): string {
  const { host, port } = config.admin.listen ?? config.listen;
  const any = host === '0.0.0.0' || host === '::' || host === '';
  const { hostname, protocol } = new URL(config.baseUrl);
  const isNamed = !config.admin.listen && protocol === 'http:' && loopbackNames.has(hostname);
  const here = any ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const shown = isNamed && (any || loopbackNames.has(here)) ? hostname : here;
  const real = config.admin.listen || !listening ? port : listening.port;
  return `http://${shown}:${real}${new URL(config.baseUrl).pathname.replace(/\/+$/, '')}${pathOf(secret)}`;
}

/** The link for anybody who can reach the dashboard. */
export function publicLink(config: Config, secret: string): string {
  return config.admin.listen ? linkOnThisMachine(config, secret) : `${config.baseUrl}${pathOf(secret)}`;
}

function pathOf(secret: string): string {
  return `/admin/link?key=${secret}`;
}
