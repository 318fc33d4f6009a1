import type {
  AdminDeps,
  InstallationActs,
  NewSourceActs,
  SourceActs,
  SubscriptionActs,
  TakedownActs,
} from '../../../src/server/deps.ts';
import { setPassword } from '../../../src/store/admin/accounts.ts';
import { hashPassword } from '../../../src/store/admin/password-hash.ts';
import type { Scope } from '../../../src/store/admin/scope.ts';
import { createToken } from '../../../src/store/admin/tokens.ts';
import { type House, now } from './fixture.ts';

export const password = 'correct horse battery';

let hash: Promise<string> | undefined;

/** An account with `password`. */
export async function addAccount(
  { database }: Pick<House, 'database'>,
  name = 'admin',
  scope: Scope = 'admin',
): Promise<void> {
  hash ??= hashPassword(password);
  await setPassword(database, { name, scope, password: await hash }, now);
}

export async function addToken({ database }: Pick<House, 'database'>, scope: Scope): Promise<string> {
  return (await createToken(database, { name: `a ${scope}`, scope, createdBy: 'test' }, now)).secret;
}

/** Where there are no sources. */
export const noActs: SourceActs = {
  pause: async () => undefined,
  resume: async () => undefined,
  ask: async () => [],
  stop: async () => undefined,
  reject: async () => undefined,
  settingsOf: async () => ({ from: 'file', settings: [] }),
  keptSettings: async () => ({ settings: {}, tag: '' }),
  change: async () => ({ settings: {}, tag: '' }),
  remove: async () => undefined,
};

/** Nobody looks for any. */
export const noNewSources: NewSourceActs = {
  groups: () => [],
  look: async () => 0,
  trial: async () => undefined,
  keep: async () => '',
};

/** Nothing is taken down. */
export const noTakedown: TakedownActs = {
  list: async () => [],
  plan: async (uri) => ({ uri, source: '', identifier: '', resources: [] }),
  withdraw: async (uri) => ({
    uri,
    source: '',
    identifier: '',
    resources: [],
    announced: true,
    contentsRemoved: 0,
  }),
  restore: async () => ({ restored: [], tasks: [] }),
};

/** Nothing is published, and nobody reads a configuration. */
export const noInstallation: InstallationActs = {
  publish: async () => undefined,
  reload: async () => undefined,
  linkOf: (secret) => `https://bridge.example.org/rs/admin/link?key=${secret}`,
};

/** Nobody is told of anything. */
export const noSubscriptions: SubscriptionActs = {
  list: async () => [],
  add: async () => ({ id: 1, secret: '' }),
  remove: async () => undefined,
  test: async () => ({ delivered: true }),
};

/** One that has nothing to tell. */
export const dashboard: AdminDeps = {
  passwordConfigured: false,
  nameOf: () => undefined,
  settings: () => [],
  acts: noActs,
  newSources: noNewSources,
  takedown: noTakedown,
  installation: noInstallation,
  subscriptions: noSubscriptions,
};

type Asked = Pick<House, 'origin'>;

/** Asks as a browser does that follows nothing by itself. */
export async function ask(
  house: Asked,
  path: string,
  options: {
    readonly form?: Readonly<Record<string, string>>;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<Response> {
  const { form, method = form ? 'POST' : 'GET', headers = {} } = options;
  const body = form ? new URLSearchParams(form) : options.body;
  const origin = await house.origin();
  return fetch(`${origin}${path}`, { method, headers, redirect: 'manual', ...(body && { body }) });
}

/** `name=value` of the session that an answer began. */
export function cookieOf(answer: Response): string {
  const [cookie = ''] = answer.headers.getSetCookie().filter((one) => one.startsWith('rsbridge_session='));
  return cookie.split(';', 1)[0] ?? '';
}

/** @returns the cookie of its session */
export async function signIn(house: Asked, name = 'admin', base = '/rs'): Promise<string> {
  return cookieOf(await ask(house, `${base}/admin/sign-in`, { form: { name, password } }));
}

/** As a browser says it of a form of ours. */
export const ownForm = { 'sec-fetch-site': 'same-origin' } as const;
