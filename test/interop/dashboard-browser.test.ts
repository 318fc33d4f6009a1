import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  brokenWords,
  hasBrowser,
  type Look,
  openBrowser,
  tabTo,
  tooWide,
  violations,
  withPage,
} from '../house/interop/browser.ts';
import { password } from '../house/server/dashboard.ts';
import { type FullDashboard, openFullDashboard } from '../house/server/full-dashboard.ts';

if (!hasBrowser)
  process.stderr.write(
    'SKIPPED: no Chromium (CHROMIUM names one): the dashboard is not looked at in a browser\n',
  );

/** What a repository may call things, to harm whoever looks at them. */
const hostile = {
  title: `"><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>\u202e${'長い題名'.repeat(8_500)}`,
  identifier: `oai:x:'"><svg onload="document.title='taken'">${'a'.repeat(900)}`,
  reason: `</title></style></textarea><script>document.title='taken'</script>\u2066${'x'.repeat(3000)}`,
  address: "javascript:document.title='taken'",
};

describe.skipIf(!hasBrowser)('the dashboard in a browser', () => {
  let browser: Browser;
  let usual: FullDashboard;
  let attacked: FullDashboard;
  const origins = new Map<FullDashboard, string>();

  beforeAll(async () => {
    [browser, usual, attacked] = await Promise.all([
      openBrowser(),
      openFullDashboard(),
      openFullDashboard(hostile),
    ]);
    for (const one of [usual, attacked]) origins.set(one, `${await one.house.origin()}/rs`);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([usual?.house.close(), attacked?.house.close()]);
  });

  const at = (of: FullDashboard, path: string) => `${origins.get(of)}${path}`;
  async function signIn(page: Page, of: FullDashboard, path = '/admin'): Promise<void> {
    await page.goto(at(of, path));
    await page.locator('#password').fill(password);
    await page.locator('main button').click();
    await page.waitForURL(at(of, path));
  }

  test.each([
    { locale: 'en', width: 1280 },
    { locale: 'ja', width: 360, dark: true },
  ] satisfies Look[])(
    'axe finds nothing on any page, and none is too wide: %o',
    { timeout: 400_000 },
    async (look) => {
      await withPage(browser, { ...look, bypassCSP: true }, async (page) => {
        await page.goto(at(usual, usual.link));
        expect(await violations(page)).toEqual([]);
        await page.goto(at(usual, '/admin/sign-in'));
        expect(await violations(page)).toEqual([]);
        await signIn(page, usual);
        for (const path of usual.pages) {
          await page.goto(at(usual, path));
          expect(await page.getAttribute('html', 'lang')).toBe(look.locale);
          expect([path, ...(await violations(page))]).toEqual([path]);
          expect([path, await tooWide(page)]).toEqual([path, 0]);
          expect([path, ...(await brokenWords(page))]).toEqual([path]);
        }
      });
    },
  );

  test('what a repository says runs nowhere, turns no line around, and leaves no page too wide', async () => {
    const problems: string[] = [];
    await withPage(browser, { locale: 'en', width: 360 }, async (page) => {
      // A policy that holds something back means that markup of somebody else has come so far.
      page.on('console', (said) => said.type() === 'error' && problems.push(`${page.url()}: ${said.text()}`));
      page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
      await signIn(page, attacked);
      for (const path of attacked.pages) {
        await page.goto(at(attacked, path));
        expect([path, await page.title()]).toEqual([path, expect.not.stringMatching(/^taken/)]);
        const alien: string[] = await page.evaluate(
          `[...document.querySelectorAll('img,svg:not(.runs,.curve),script:not([src]):not(body>script),[onload],[onerror],a[href^="javascript:"],base,iframe')].map((one) => one.outerHTML.slice(0, 200))`,
        );
        expect([path, ...alien]).toEqual([path]);
        expect([path, await tooWide(page)]).toEqual([path, 0]);
      }
    });
    expect(problems).toEqual([]);
  });

  test('without scripts every page is readable, and its forms act', async () => {
    await withPage(browser, { locale: 'en', width: 1280, scripts: false }, async (page) => {
      await usual.harvested(12_400);
      await signIn(page, usual);
      expect(await page.locator('main').innerText()).toContain('12,400 of about 20,000');
      for (const path of usual.pages) {
        await page.goto(at(usual, path));
        expect([path, (await page.locator('h1').innerText()).length > 0]).toEqual([path, true]);
      }
      await page.goto(at(usual, '/admin/activity'));
      expect(await page.locator('noscript').innerText()).toContain('Show this page anew');
      await page.getByRole('button', { name: 'Publish all lists anew' }).click();
      expect(page.url()).toBe(at(usual, '/admin/activity'));
    });
  });

  test('the keyboard alone signs in, finds a source, pauses it, and signs out', async () => {
    await withPage(browser, { locale: 'en', width: 1280 }, async (page) => {
      await page.goto(at(usual, '/admin'));
      await tabTo(page, '#password');
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
      await page.waitForURL(at(usual, '/admin'));
      await tabTo(page, '#q');
      await page.keyboard.type('kyushu');
      await page.keyboard.press('Enter');
      await page.waitForURL(/q=kyushu/);
      await tabTo(page, 'td a');
      await page.keyboard.press('Enter');
      await page.waitForURL(at(usual, '/admin/sources/kyushu'));
      await tabTo(page, 'summary');
      await page.keyboard.press('Enter');
      await tabTo(page, '#reason');
      await page.keyboard.type('their server moves');
      await tabTo(page, 'button[value=pause]');
      // Wherever one is, one sees it.
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
      // The next page has the same address.
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
      await tabTo(page, 'nav.admin button');
      await page.keyboard.press('Enter');
      await page.waitForURL(at(usual, '/admin/sign-in'));
    });
  });

  test('numbers change while one looks, without a new page, and what has the focus keeps it', async () => {
    await withPage(browser, { locale: 'en', width: 1280 }, async (page) => {
      const refused: string[] = [];
      page.on('console', (said) => said.type() === 'error' && refused.push(said.text()));
      await signIn(page, usual);
      let done = 12_400;
      for (const path of ['/admin', '/admin/activity', '/admin/sources/kyushu']) {
        await page.goto(at(usual, path));
        await page.evaluate('document.body.dataset.same = "page"');
        await page.locator('main a').first().focus();
        done += 100;
        await usual.harvested(done);
        await page
          .getByText(`${done.toLocaleString('en')} of about 20,000`)
          .first()
          .waitFor();
        expect(await page.evaluate('document.body.dataset.same')).toBe('page');
        expect(await page.evaluate('document.activeElement.localName')).toBe('a');
      }
      // The policy of these pages lets in no script but ours.
      expect(refused).toEqual([]);
    });
  });

  test('whoever lost the connection is told again, also after a server that answered with trouble', async () => {
    await withPage(browser, { locale: 'en', width: 1280 }, async (page) => {
      await signIn(page, usual, '/admin/activity');
      await usual.harvested(13_000);
      await page.getByText('13,000 of about').waitFor();
      let asked = 0;
      // Of what comes next, the first is refused: to an EventSource that is the end.
      await page.route('**/admin/live*', async (route) => {
        asked += 1;
        if (asked === 1) await route.fulfill({ status: 503, body: 'later' });
        else await route.continue();
      });
      usual.house.app.server.closeAllConnections();
      await usual.harvested(14_000);
      await page.getByText('14,000 of about').waitFor();
      expect(asked).toBeGreaterThan(1);
    });
  });

  test('a page that nobody sees listens to nothing, and knows all when it is seen again', async () => {
    await withPage(browser, { locale: 'en', width: 1280 }, async (page) => {
      await signIn(page, usual, '/admin/activity');
      const hide = (hidden: boolean) =>
        page.evaluate(
          `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
        );
      const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/admin/live'));
      await hide(true);
      await ended;
      await usual.harvested(15_000);
      const begun = page.waitForRequest(/admin\/live/);
      await hide(false);
      await begun;
      await page.getByText('15,000 of about').waitFor();
    });
  });
});
