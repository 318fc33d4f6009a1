import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureSource } from '../../src/store/sources/sources.ts';
import { addAccount, noActs, noNewSources, noTakedown, password } from '../house/server/dashboard.ts';
import { type House, now, openHouse, sourceOverview } from '../house/server/fixture.ts';

/** The dashboard in a browser that people have: Debian's Chromium, or whatever `CHROMIUM` names. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const pages = [
  '/admin',
  '/admin/sources/kyushu',
  '/admin/sources/kyushu/problems',
  '/admin/settings',
  '/admin/access',
  '/admin/audit',
];

describe.skipIf(!existsSync(executablePath))('the dashboard in a browser, without scripts of its own', () => {
  let house: House;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    const setting = { key: 'title', value: 'a'.repeat(100), from: 'default' } as const;
    house = await openHouse({
      admin: {
        ...{ passwordConfigured: false, nameOf: () => undefined, settings: () => [setting] },
        newSources: noNewSources,
        takedown: noTakedown,
        acts: {
          ...noActs,
          settingsOf: async () => ({
            from: 'file',
            settings: [
              { key: 'url', value: 'https://r.example/oai', from: 'file', place: '/etc/rsbridge.yaml' },
            ],
          }),
        },
      },
    });
    house.sources.push(sourceOverview({ name: 'kyushu' }), sourceOverview({ name: 'other', healthy: false }));
    await addAccount(house);
    await ensureSource(house.database, 'kyushu', now);
    origin = `${await house.origin()}/rs`;
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await house?.close();
  });

  async function violations(page: Page): Promise<readonly string[]> {
    await page.evaluate(axe.source);
    // As text: this program knows no types of a browser.
    return page.evaluate(
      '(async () => (await axe.run()).violations.map((one) => one.id + ": " + one.nodes.map((node) => node.html).join("; ")))()',
    );
  }

  test.each([
    ['en', 'light', 1280],
    ['ja', 'dark', 360],
  ] as const)(
    '%s, %s, %d wide: somebody signs in, and axe finds nothing',
    async (locale, colorScheme, width) => {
      const context = await browser.newContext({
        locale,
        colorScheme,
        viewport: { width, height: 800 },
        bypassCSP: true,
      });
      const page = await context.newPage();
      await page.goto(`${origin}/admin/audit`);
      expect(page.url()).toContain('/admin/sign-in');
      expect(await violations(page)).toEqual([]);
      await page.locator('#password').fill(password);
      await page.locator('main button').click();
      expect(page.url()).toBe(`${origin}/admin/audit`);
      for (const path of pages) {
        await page.goto(`${origin}${path}`);
        expect([path, ...(await violations(page))]).toEqual([path]);
        const over: number = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        expect([path, over <= 0]).toEqual([path, true]);
      }
      // With the keyboard alone: the first button of a form of ours is one that may be pressed.
      await page.goto(`${origin}/admin`);
      await page.locator('nav.admin button').focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${origin}/admin/sign-in`);
      await context.close();
    },
    60_000,
  );
});
