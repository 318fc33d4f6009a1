import { beforeEach, describe, expect, test } from 'vitest';
import { findAccount, hasAccounts, removeAccount, setPassword } from '../../../src/store/admin/accounts.ts';
import {
  countAttempt,
  countContentAttempt,
  forgetAttempts,
  waitForContent,
} from '../../../src/store/admin/attempts.ts';
import { listActs, recordAct } from '../../../src/store/admin/audit.ts';
import { createLink, findLink, useLink } from '../../../src/store/admin/links.ts';
import { hashPassword, isPassword } from '../../../src/store/admin/password-hash.ts';
import { beginSession, endSession, findSession } from '../../../src/store/admin/sessions.ts';
import {
  createToken,
  findReadableSets,
  findToken,
  listTokens,
  revokeToken,
} from '../../../src/store/admin/tokens.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = '2026-11-23T10:00:00Z';
const laterBy = (seconds: number) =>
  new Date(Date.parse(at) + seconds * 1000).toISOString().replace('.000', '');
const tables = ['admin_account', 'admin_link', 'admin_session', 'api_token', 'sign_in_attempt', 'audit'];

describe('a password', () => {
  test('is kept as scrypt with a salt of its own, and known again', async () => {
    const [a, b] = [await hashPassword('correct horse'), await hashPassword('correct horse')];
    expect(a).toMatch(/^scrypt\$15\$8\$1\$/);
    expect(a).not.toBe(b);
    expect(await isPassword('correct horse', a)).toBe(true);
    expect(await isPassword('correct horsf', a)).toBe(false);
    expect(await isPassword('', a)).toBe(false);
    expect(await isPassword('correct horse', 'scrypt$15$8$1$AAAA$')).toBe(false);
    expect(await isPassword('correct horse', undefined)).toBe(false);
  });

  test('is the same however its characters are composed', async () => {
    expect(await isPassword('pa\u0308ssword', await hashPassword('p\u00e4ssword'))).toBe(true);
  });

  test('is neither short nor endless, and not checked a hundred times at once', async () => {
    await expect(hashPassword('1234567')).rejects.toMatchObject({ code: 'usage' });
    await expect(hashPassword('x'.repeat(1025))).rejects.toMatchObject({ code: 'usage' });
    const many = await Promise.allSettled(Array.from({ length: 60 }, () => isPassword('x', undefined)));
    const refused = many.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(60 - 2 - 32);
    expect((refused[0] as PromiseRejectedResult).reason).toMatchObject({ code: 'sign-in-busy' });
    expect(await isPassword('x', undefined)).toBe(false);
  });
});

describeOnBoth('who may act', (open) => {
  const account = { name: 'admin', scope: 'admin', password: 'scrypt$…' } as const;

  beforeEach(async () => {
    for (const table of tables) await open().database.writer(table).delete();
  });

  test('a token for content reads what it was made for, acts nowhere, and ends as others do', async () => {
    const { database } = open();
    const content = { name: 'partner', scope: 'content', createdBy: 'test' } as const;
    const { secret, id } = await createToken(database, { ...content, sets: ['b', 'a', 'a'], days: 1 }, at);
    expect(await findReadableSets(database, secret, at)).toEqual(['a', 'b']);
    expect(await findToken(database, secret, at)).toBeUndefined();
    expect(await findReadableSets(database, secret, laterBy(86_400))).toEqual([]);
    expect(await listTokens(database.reader)).toMatchObject([
      { scope: 'content', sets: ['a', 'b'], usedAt: at },
    ]);
    expect(JSON.stringify(await database.reader('api_token'))).not.toContain(secret);
    await revokeToken(database, id);
    expect(await findReadableSets(database, secret, at)).toEqual([]);
    const acting = await createToken(database, { name: 'x', scope: 'admin', createdBy: 'test' }, at);
    expect(await findReadableSets(database, acting.secret, at)).toEqual([]);
    for (const wrong of [
      { sets: [] },
      { sets: ['A'] },
      { sets: ['a/b/c'] },
      { sets: ['a'], scope: 'read' as const },
    ])
      await expect(createToken(database, { ...content, ...wrong }, at)).rejects.toMatchObject({
        code: 'usage',
      });
  });

  test('wrong tokens for content make an address wait, and keep nobody from signing in', async () => {
    const { database } = open();
    const address = '192.0.2.7';
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(await countContentAttempt(database, address, at)).toBe(0);
    expect(await waitForContent(database, address, at)).toBe(2);
    expect(await countContentAttempt(database, address, at)).toBe(2);
    expect(await waitForContent(database, '192.0.2.8', at)).toBe(0);
    expect(await countAttempt(database, { account: 'x', address }, at)).toBe(0);
    expect(await waitForContent(database, address, laterBy(2))).toBe(0);
    await countContentAttempt(database, address, laterBy(2));
    expect(await waitForContent(database, address, laterBy(2))).toBe(4);
  });

  test('a link sets a password once, whoever is quicker, and no later than in a day', async () => {
    const { database } = open();
    const invitation = { account: 'admin', scope: 'admin' } as const;
    const secret = await createLink(database, invitation, at);
    const other = await createLink(database, invitation, at);
    expect(await findLink(database.reader, secret, at)).toEqual(invitation);
    expect(await findLink(database.reader, `${secret}x`, at)).toBeUndefined();
    const used = await Promise.all([1, 2, 3].map(() => useLink(database, secret, 'hash', at)));
    expect(used.filter((one) => one !== undefined)).toEqual([invitation]);
    expect(await useLink(database, other, 'hash 2', at)).toBeUndefined();
    expect((await findAccount(database.reader, 'admin'))?.password).toBe('hash');
    const late = await createLink(database, invitation, at);
    expect(await useLink(database, late, 'hash 3', laterBy(86_400))).toBeUndefined();
  });

  test('a session ends when it is left alone, when it is old, with a new password, and with its account', async () => {
    const { database } = open();
    const begin = (now = at) =>
      beginSession(database, { account: 'admin', address: '192.0.2.1', agent: 'test' }, now);
    expect(await hasAccounts(database.reader)).toBe(false);
    await setPassword(database, account, at);
    expect(await hasAccounts(database.reader)).toBe(true);
    const secret = await begin();
    expect(await findSession(database, secret, laterBy(60))).toMatchObject({
      account: 'admin',
      scope: 'admin',
    });
    expect(await database.reader('admin_session').select('used_at')).toEqual([{ used_at: laterBy(60) }]);
    expect(JSON.stringify(await database.reader('admin_session'))).not.toContain(secret);
    expect(await findSession(database, secret, laterBy(60 + 86_400))).toBeUndefined();
    for (let day = 0; day < 20; day += 0.5) await findSession(database, secret, laterBy(day * 86_400));
    expect(await findSession(database, secret, laterBy(13 * 86_400 + 3600))).toMatchObject({
      scope: 'admin',
    });
    expect(await findSession(database, secret, laterBy(14 * 86_400))).toBeUndefined();
    const second = await begin();
    const session = await findSession(database, second, at);
    expect(await endSession(database, session?.hash ?? '')).toBe(true);
    expect(await findSession(database, second, at)).toBeUndefined();
    const third = await begin();
    await setPassword(database, account, at);
    expect(await findSession(database, third, at)).toBeUndefined();
    const fourth = await begin();
    await removeAccount(database, 'admin');
    expect(await findSession(database, fourth, at)).toBeUndefined();
  });

  test('a token is shown once, expires, and is refused as soon as it is revoked', async () => {
    const { database } = open();
    const made = { name: 'cron of the library', scope: 'run', createdBy: 'admin' } as const;
    const token = await createToken(database, { ...made, days: 1 }, at);
    expect(token.secret).toMatch(/^rsb_[\w-]{43}$/);
    expect(JSON.stringify(await database.reader('api_token'))).not.toContain(token.secret.slice(4));
    expect(await findToken(database, token.secret, at)).toMatchObject(made);
    expect(await findToken(database, token.secret.slice(0, -1), at)).toBeUndefined();
    expect(await findToken(database, token.secret, laterBy(86_400))).toBeUndefined();
    expect((await listTokens(database.reader))[0]).toMatchObject({ usedAt: at, expiresAt: laterBy(86_400) });
    expect(await revokeToken(database, token.id)).toBe('cron of the library');
    expect(await revokeToken(database, token.id)).toBeUndefined();
    expect(await findToken(database, token.secret, at)).toBeUndefined();
    await expect(createToken(database, { ...made, name: 'a\nb' }, at)).rejects.toMatchObject({
      code: 'usage',
    });
  });

  test('who guesses waits longer and longer, at one account and from one address', async () => {
    const { database } = open();
    const by = { account: 'admin', address: '192.0.2.1' };
    for (let attempt = 0; attempt < 5; attempt += 1) expect(await countAttempt(database, by, at)).toBe(0);
    expect(await countAttempt(database, by, at)).toBe(2);
    expect(await countAttempt(database, { ...by, address: '192.0.2.2' }, at)).toBe(2);
    expect(await countAttempt(database, { ...by, account: 'other' }, at)).toBe(0);
    expect(await countAttempt(database, by, laterBy(2))).toBe(0);
    expect(await countAttempt(database, by, laterBy(2))).toBe(4);
    // Each of them from an address that has its own account of failures by now.
    let now = 10;
    for (let round = 0; round < 12; round += 1) {
      await countAttempt(database, { ...by, address: `198.51.100.${round}` }, laterBy(now));
      now += 901;
    }
    await countAttempt(database, { ...by, address: '203.0.113.1' }, laterBy(now));
    expect(await countAttempt(database, by, laterBy(now))).toBe(900);
    await forgetAttempts(database, by);
    expect(await countAttempt(database, by, laterBy(now))).toBe(0);
    const [other] = ['spray', '203.0.113.9'];
    for (let name = 0; name < 10; name += 1)
      expect(await countAttempt(database, { account: `${other}${name}`, address: 'x' }, at)).toBe(0);
    expect(await countAttempt(database, { account: 'spray10', address: 'x' }, at)).toBe(2);
  });

  test('attempts at the same time are all counted', async () => {
    const { database } = open();
    const by = { account: 'admin', address: '192.0.2.1' };
    const waits = await Promise.all(Array.from({ length: 20 }, () => countAttempt(database, by, at)));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
  });

  test('the audit log has who did what, the newest first', async () => {
    const { database } = open();
    for (const action of ['pause', 'resume'] as const)
      await recordAct(database, { at, who: 'admin', action, what: 'kyushu', address: '192.0.2.1' });
    const acts = await listActs(database.reader, { limit: 10 });
    expect(acts.map(({ action }) => action)).toEqual(['resume', 'pause']);
    expect(await listActs(database.reader, { limit: 10, before: acts[0]?.id })).toEqual([acts[1]]);
  });

  test('the audit log is searched by who, what, where from, when, and what was done', async () => {
    const { database } = open();
    const note = (seconds: number, act: { who: string; action: 'pause' | 'withdrew'; what: string }) =>
      recordAct(database, { at: laterBy(seconds), ...act });
    await note(0, { who: 'Alice', action: 'pause', what: 'kyushu' });
    await note(60, { who: 'root@host', action: 'withdrew', what: 'https://rs.example.org/a_b%c' });
    await note(120, { who: 'alice', action: 'withdrew', what: 'https://rs.example.org/aXb' });
    const found = async (filter: object) =>
      (await listActs(database.reader, { limit: 10, ...filter })).map(({ at: when }) => when);
    expect(await found({ q: 'ALICE' })).toEqual([laterBy(120), laterBy(0)]);
    expect(await found({ q: 'a_b%' })).toEqual([laterBy(60)]);
    expect(await found({ q: "'" })).toEqual([]);
    expect(await found({ action: 'withdrew', since: laterBy(61) })).toEqual([laterBy(120)]);
    expect(await found({ until: laterBy(60) })).toEqual([laterBy(0)]);
  });
});
