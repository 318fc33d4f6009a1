import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bridge, openBridge } from '../../src/bridge/bridge.ts';
import { createLog } from '../../src/bridge/log.ts';
import { type Service, startService } from '../../src/bridge/service.ts';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { rawRecord } from '../../src/core/problem.ts';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';
import { storeUnreadable } from '../../src/store/runs/unreadable.ts';
import { findSource } from '../../src/store/sources/sources.ts';
import { hasBrowser, type Look, openBrowser, withPage } from '../house/interop/browser.ts';
import { freePort } from '../house/process/free-port.ts';
import { addAccount, password } from '../house/server/dashboard.ts';
import { placeMigrated } from '../house/store/databases.ts';

/** What an operator does, with a real service behind it: harvested, published, served. */
describe.skipIf(!hasBrowser)('the work of an operator in a browser', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-operator-'));
  const ended = new AbortController();
  const repositories: SampleRepository[] = [];
  let newcomer: string;
  let bridge: Bridge;
  let service: Service;
  let browser: Browser;
  let base: string;

  beforeAll(async () => {
    const urls: string[] = [];
    for (const seed of [1, 2, 3]) {
      const repository = createSampleRepository({ clock: systemClock, seed, records: 40 });
      repositories.push(repository);
      urls.push((await repository.listen(0)).url);
    }
    newcomer = new URL('/', urls[2]).href;
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const quiet = { schedule: false, fullPass: false, identifierPass: false, files: { mode: 'none' } };
    const config = parseConfig({
      baseUrl: base,
      database: { client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) },
      directory: join(directory, 'data'),
      network: { allow: ['127.0.0.1'] },
      sources: { sample: { url: urls[0], ...quiet }, embargo: { url: urls[1], ...quiet, access: {} } },
      groups: { quiet },
    });
    bridge = await openBridge(config, createLog('silent', process.stderr), 'migrate');
    bridge.onReload(async () => void (await service.replaceSources(config)));
    const { signal } = ended;
    service = await startService(bridge, { host: '127.0.0.1', port }, { stop: signal, abort: signal });
    await addAccount(bridge);
    for (const name of ['sample', 'embargo']) await service.harvestNow(name, { mode: 'full' });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    ended.abort();
    await service?.close();
    await bridge?.close();
    await Promise.all(repositories.map((repository) => repository.close()));
    rmSync(directory, { recursive: true, force: true });
  });

  async function signedIn(look: Partial<Look>, use: (page: Page) => Promise<void>): Promise<void> {
    await withPage(browser, { locale: 'en', width: 1280, ...look }, async (page) => {
      page.setDefaultTimeout(60_000);
      await page.goto(`${base}/admin/sign-in`);
      await page.locator('#password').fill(password);
      await page.locator('main button').click();
      await page.waitForURL(`${base}/admin`);
      await use(page);
    });
  }
  const status = async (address: string, headers: Record<string, string> = {}) =>
    (await fetch(address, { headers })).status;

  test.each([{}, { scripts: false }, { locale: 'ja', width: 360 }] satisfies Partial<Look>[])(
    'a source is added from the address of its home page, changed and removed: %o',
    async (look) => {
      await signedIn(look, async (page) => {
        await page.goto(`${base}/admin`);
        await page.locator('a[href$="/sources/add"]').click();
        await page.locator('#address').fill(newcomer);
        await page.locator('#group').selectOption('quiet');
        await page.locator('main form button').click();
        // The page asks again by itself.
        await page.locator('#name').fill('library');
        await page.locator('#title').fill('図書館');
        await page.locator('button[value=try]').click();
        await page.locator('button[value=save]').click();
        await page.waitForURL(`${base}/admin/sources/library`);
        expect(await page.locator('h1').innerText()).toBe('図書館');

        await page.locator('a[href$="/library/change"]').click();
        await page.locator('#title').fill('大学図書館');
        await page.locator('main form button').click();
        await page.waitForURL(`${base}/admin/sources/library`);
        await expect.poll(() => page.reload().then(() => page.locator('h1').innerText())).toBe('大学図書館');

        await page.locator('a[href$="/library/remove"]').click();
        await page.locator('#name').fill('librar');
        await page.locator('main form button').click();
        await page.locator('[role=alert]').waitFor();
        await page.locator('#name').fill('library');
        await page.locator('main form button').click();
        await page.waitForURL(`${base}/admin`);
        await expect
          .poll(() => page.reload().then(() => page.locator('a[href$="/sources/library"]').count()))
          .toBe(0);
      });
    },
  );

  test('a harvest that is begun is followed without a new page, until its run stands in the table', async () => {
    await signedIn({}, async (page) => {
      await page.goto(`${base}/admin/sources/sample`);
      const before = await page.locator('tr[id^=run-]').count();
      await page.getByRole('button', { name: 'Read everything' }).click();
      await page.evaluate('document.body.dataset.same = "page"');
      await page.locator('tr[id^=run-]').nth(before).waitFor();
      expect(await page.evaluate('document.body.dataset.same')).toBe('page');
    });
  });

  test('an item is taken down with a reason, and published again', async () => {
    const { reader } = bridge.database;
    const source = await findSource(reader, 'sample');
    const { path } = await reader('resource').where({ source_id: source?.id }).orderBy('id').first('path');
    const address = `${base}/${path}`;
    expect(await status(address)).toBe(200);
    await signedIn({}, async (page) => {
      await page.getByRole('link', { name: 'Taking down' }).click();
      // Of its page: another source has an item of the same identifier.
      await page.locator('#what').fill(address.replace(/\/[^/]+$/, ''));
      await page.getByRole('button', { name: 'Look what that is' }).click();
      expect(await page.locator('main').innerText()).toContain('Addresses that would answer 410: ');
      expect(await status(address)).toBe(200);
      await page.locator('#reason').fill('asked by <the author>');
      await page.getByRole('button', { name: 'Take it down' }).click();
      await page.getByText('Taken down.').waitFor();
      expect(await status(address)).toBe(410);
      expect(await page.locator('table').innerText()).toContain('asked by <the author>');
      await page.getByRole('button', { name: 'Publish again' }).click();
      await page.waitForURL(/\/admin\/tasks\/\d+$/);
      // Told by the stream of events.
      await page.getByText('it is published again').waitFor();
      expect(await status(address)).toBe(200);
    });
  });

  test('records that could not be read are looked at by cause, downloaded, and read again', async () => {
    const { database } = bridge;
    const source = await findSource(database.reader, 'sample');
    const items = await database.reader('item').where({ source_id: source?.id }).limit(3);
    const problems = items.map(({ identifier }) => ({
      ...{ code: 'record-quarantined' as const, identifier, format: 'oai_dc' },
      message: `The record ${identifier} cannot be read: unexpected close tag.`,
      raw: rawRecord('<record>\n<title>=1+1</titel>\n</record>'),
    }));
    const met = { run: { id: 1 }, at: '2026-11-23T00:00:00Z' };
    await database.transaction((trx) => storeUnreadable(trx, source?.id ?? 0, problems, [], met));
    await signedIn({}, async (page) => {
      await page.goto(`${base}/admin/sources/sample`);
      await page.getByRole('link', { name: '3 records could not be read' }).click();
      await page.getByRole('link', { name: /unexpected close tag/ }).click();
      expect(await page.locator('.card mark').count()).toBe(3);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download as CSV' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('rsbridge-problems.csv');
      const csv = readFileSync(await download.path(), 'utf8');
      for (const { identifier } of items) expect(csv).toContain(identifier);
      await page
        .getByRole('button', { name: /Try all 3 again/ })
        .first()
        .click();
      await page.waitForURL(/\/admin\/tasks\/\d+$/);
      await page.getByText('3 read or gone, 0 still not to be read').waitFor();
      await page.goto(`${base}/admin/sources/sample/problems`);
      expect(await page.locator('main').innerText()).toContain('Every record could be read.');
    });
  });

  test('a partner gets a token for a private source, and loses it', async () => {
    const list = `${base}/embargo/capabilitylist.xml`;
    await signedIn({}, async (page) => {
      await page.getByRole('link', { name: 'Access' }).click();
      await page.locator('#token-name').fill('A partner');
      await page.locator('#token-scope').selectOption('content');
      await page.locator('#token-sets').fill('embargo');
      await page.getByRole('button', { name: 'Make a token' }).click();
      const [secret = '', opened] = await page.locator('[role=status] code').allInnerTexts();
      expect(opened).toBe(list);
      expect(await status(list)).toBe(401);
      await expect.poll(() => status(list, { authorization: `Bearer ${secret}` })).toBe(200);
      await page.goto(`${base}/admin/access`);
      expect(await page.content()).not.toContain(secret);
      await page.getByRole('button', { name: 'Revoke: A partner' }).click();
      await page.waitForURL(`${base}/admin/access`);
      expect(await status(list, { authorization: `Bearer ${secret}` })).toBe(401);
    });
  });

  test('somebody gets an account by a link, and loses it', async () => {
    await signedIn({}, async (page) => {
      await page.getByRole('link', { name: 'Access' }).click();
      await page.locator('#account').fill('hanako');
      await page.locator('#account-scope').selectOption('run');
      await page.getByRole('button', { name: 'Make a link' }).click();
      const link = await page.locator('[role=status] code').innerText();
      await withPage(browser, { locale: 'ja', width: 360 }, async (hers) => {
        await hers.goto(link);
        await hers.locator('#password').fill(password);
        await hers.locator('#repeat').fill(password);
        await hers.locator('main button').click();
        await hers.waitForURL(`${base}/admin`);
        await page.goto(`${base}/admin/access`);
        await page.getByRole('button', { name: 'Remove: hanako' }).click();
        await page.waitForURL(`${base}/admin/access`);
        await hers.goto(`${base}/admin`);
        expect(hers.url()).toContain('/admin/sign-in');
      });
    });
  });
});
