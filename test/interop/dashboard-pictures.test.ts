import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, openBrowser, withPage } from '../house/interop/browser.ts';
import { openPictureHouse } from '../house/interop/picture-house.ts';
import { password } from '../house/server/dashboard.ts';
import type { House } from '../house/server/fixture.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const isAsked = process.env.UPDATE_PICTURES === '1';
const mostBytes = 150_000;

/** `UPDATE_PICTURES=1 npx vitest run test/interop/dashboard-pictures.test.ts` writes those of README and docs anew. A font with Japanese has to be installed. */
const pictures = [
  { file: 'dashboard.png', path: '/admin', locale: 'en', height: 640 },
  { file: 'dashboard-ja.png', path: '/admin', locale: 'ja', height: 640 },
  { file: 'problems.png', path: '/admin/sources/kyoto/problems', locale: 'en', height: 760 },
] as const;

describe.skipIf(!hasBrowser)('pictures of the dashboard', () => {
  let house: House;
  let browser: Browser;
  beforeAll(async () => {
    [house, browser] = await Promise.all([openPictureHouse(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await house?.close();
  });

  test.each(pictures)('$file is small, and the same each time', async ({ file, path, locale, height }) => {
    const origin = `${await house.origin()}/rs`;
    const take = () =>
      withPage(browser, { locale, width: 1200 }, async (page) => {
        await page.setViewportSize({ width: 1200, height });
        await page.goto(`${origin}${path}`);
        await page.locator('#password').fill(password);
        await page.locator('main button').click();
        await page.waitForURL(`${origin}${path}`);
        return page.screenshot();
      });
    const [one, other] = [await take(), await take()];
    expect(one.equals(other)).toBe(true);
    expect(one.length).toBeLessThan(mostBytes);
    if (isAsked) writeFileSync(join(docs, file), one);
  });
});
