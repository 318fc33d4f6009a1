import type { Action } from '../../../src/store/admin/audit.ts';

/** Why it cannot be done in that way. */
export interface NoWay {
  readonly not: string;
}

/**
 * How something is done. Of a form and of the API the `operationId`, with the word that its form or body says where one
 * route does several things; of the command line what is typed behind `rsbridge`, with the option that means it.
 */
export interface Ways {
  readonly form: readonly string[] | NoWay;
  readonly api: readonly string[] | NoWay;
  readonly command: readonly string[] | NoWay;
}

const onMachine = { not: 'it is about the machine: its files, or processes that do not run' };
const typedOnly = { not: 'there is no way back from it, so it is typed where the configuration is' };
const byToken = { not: 'a program has a token, and no session' };
const byFile = { not: 'whoever may read the configuration needs no session' };

/** Everything that is written into the audit log, and the three ways in which it is done. */
export const waysOf: Readonly<Record<Action, Ways>> = {
  harvest: {
    form: ['actOnSources harvest'],
    api: ['startRun harvest'],
    command: ['harvest', 'harvest --by-serve'],
  },
  full: { form: ['actOnSources full'], api: ['startRun full'], command: ['harvest --full'] },
  identifiers: {
    form: ['actOnSources identifiers'],
    api: ['startRun identifiers'],
    command: ['harvest --identifiers'],
  },
  stop: { form: ['actOnSources stop'], api: ['stopSource'], command: ['sources stop'] },
  pause: {
    form: ['actOnSources pause'],
    api: ['pauseSource'],
    command: ['sources pause --until', 'sources pause --why'],
  },
  resume: { form: ['actOnSources resume'], api: ['resumeSource'], command: ['sources resume'] },
  'tried again': {
    form: ['retryByForm'],
    api: ['tryAgain item', 'tryAgain cause', 'tryAgain all', 'startRun item'],
    command: ['problems --try-again', 'problems --cause', 'harvest --item'],
  },
  'was notified': {
    form: { not: 'other services tell of items, and no person does' },
    api: { not: 'other services send to the inbox, which is for everybody that is configured' },
    command: { not: 'other services tell of items, and no person does' },
  },
  'approved deletions': {
    form: ['decideByForm'],
    api: ['decideMissing approve'],
    command: ['harvest --accept-deletions'],
  },
  'rejected deletions': {
    form: ['decideByForm'],
    api: ['decideMissing reject'],
    command: ['vanished --reject'],
  },
  'accepted refusals': { form: typedOnly, api: typedOnly, command: ['refused --accept'] },
  withdrew: { form: ['withdrawByForm'], api: ['withdraw'], command: ['withdraw --reason'] },
  restored: { form: ['restoreByForm'], api: ['endWithdrawal'], command: ['restore'] },
  'looked for a source': {
    form: ['lookForSourceByForm'],
    api: ['lookForSource'],
    command: ['sources add --dry-run'],
  },
  'tried a source': {
    form: ['addSourceByForm'],
    api: ['tryDraft'],
    command: ['harvest --dry-run'],
  },
  'added a source': {
    form: ['addSourceByForm'],
    api: ['addSource'],
    command: ['sources add', 'sources import'],
  },
  'changed a source': {
    form: ['changeSourceByForm'],
    api: ['changeSourceSettings'],
    command: ['sources edit --set', 'sources edit --unset'],
  },
  'removed a source': {
    form: ['removeSourceByForm'],
    api: ['removeSource'],
    command: ['sources remove'],
  },
  'removed what is published': { form: typedOnly, api: typedOnly, command: ['remove'] },
  published: { form: ['publishByForm'], api: ['publish lists', 'publish dumps'], command: ['publish'] },
  'reloaded the configuration': { form: ['reloadByForm'], api: ['reload'], command: ['reload'] },
  'added a subscription': {
    form: ['addSubscriptionByForm'],
    api: ['addSubscription'],
    command: ['subscriptions add --set', 'subscriptions add --label'],
  },
  'removed a subscription': {
    form: ['removeSubscriptionByForm'],
    api: ['removeSubscription'],
    command: ['subscriptions remove'],
  },
  'tried a subscription': {
    form: ['testSubscriptionByForm'],
    api: ['testSubscription'],
    command: ['subscriptions test'],
  },
  'moved the storage': { form: onMachine, api: onMachine, command: ['storage migrate'] },
  'made a backup': { form: onMachine, api: onMachine, command: ['backup'] },
  'restored a backup': { form: onMachine, api: onMachine, command: ['restore'] },
  'made a token': {
    form: ['createTokenByForm'],
    api: ['createToken'],
    command: ['admin tokens add --scope', 'admin tokens add --set', 'admin tokens add --days'],
  },
  'revoked a token': {
    form: ['revokeTokenByForm'],
    api: ['revokeToken'],
    command: ['admin tokens revoke'],
  },
  'ended shared links': {
    form: { not: 'they stand in mails that the command line sends and shows' },
    api: { not: 'they stand in mails that the command line sends and shows' },
    command: ['digest --revoke'],
  },
  'made a link to set a password': {
    form: ['createLinkByForm'],
    api: ['createLink'],
    command: ['admin link --name', 'admin link --scope'],
  },
  'set the password by a link': {
    form: ['usePasswordLink'],
    api: { not: 'a link is opened by a person' },
    command: { not: 'a link is opened by a person' },
  },
  'set a password': {
    form: { not: 'others set theirs by a link' },
    api: { not: 'others set theirs by a link' },
    command: ['admin password --name'],
  },
  'changed the password': { form: ['changePassword'], api: byToken, command: ['admin password'] },
  'removed an account': {
    form: ['removeAccountByForm'],
    api: ['removeAccount'],
    command: ['admin remove'],
  },
  'signed in': { form: ['signIn'], api: byToken, command: byFile },
  'signed out': { form: ['signOut'], api: byToken, command: byFile },
  'failed to sign in': { form: ['signIn'], api: byToken, command: byFile },
  'ended a session': {
    form: ['endSessionByForm'],
    api: ['endSession'],
    command: ['admin sessions end'],
  },
};
