/** What the dashboard says, in English; the other languages say all of it, too (`AdminWords`). */
export const english = {
  language: 'en',
  dashboard: 'Dashboard',
  nav: { label: 'Dashboard', sources: 'Sources', access: 'Access', audit: 'Audit log', signOut: 'Sign out' },
  otherLanguage: '日本語',
  save: 'Save',
  signIn: {
    title: 'Sign in',
    name: 'Account',
    password: 'Password',
    submit: 'Sign in',
    wrong: 'The account or the password is wrong.',
    wait: (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
    forgotten:
      'No password, or forgotten? `rsbridge admin link`, typed on the machine of the bridge, prints a link to set one.',
  },
  link: {
    title: 'Set a password',
    intro: (account: string) => `This link sets the password of the account ${account}, once.`,
    password: 'New password (8 characters or more)',
    repeat: 'The same again',
    differ: 'The two are not the same.',
    length: 'A password has 8 to 1024 characters.',
    configured: 'The password of this account stands in the configuration; change it there.',
  },
  access: {
    title: 'Access',
    you: (who: string, scope: string) => `You are ${who}, with the scope ${scope}.`,
    scopes: 'read: look; run: also have sources read, paused and stopped; admin: everything.',
    change: 'Change your password',
    current: 'Current password',
    accounts: 'Accounts',
    sessions: 'Sessions',
    tokens: 'API tokens',
    noTokens: 'There are none. A program sends one as `Authorization: Bearer TOKEN`.',
    account: 'Account',
    scope: 'Scope',
    name: 'Name',
    since: 'Since',
    used: 'Last used',
    from: 'From',
    expires: 'Expires',
    never: 'never',
    thisOne: 'this one',
    end: 'End',
    revoke: 'Revoke',
    create: 'Make a token',
    days: 'Days until it expires (empty: never)',
    made: 'The new token. It is shown this once:',
  },
  audit: {
    title: 'Audit log',
    at: 'When',
    who: 'Who',
    action: 'Did',
    what: 'What',
    address: 'From',
    older: 'Older',
    none: 'Nothing was done yet.',
  },
};

export type AdminWords = Widened<typeof english>;

/** Texts are any texts, not these. */
type Widened<T> = T extends string
  ? string
  : T extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof T]: Widened<T[Key]> };
