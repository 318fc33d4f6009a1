import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listTail, renderEntry, renderListHead } from '../../src/publish/documents/entry-writer.ts';
import {
  type House,
  openHouse,
  publishedSet,
  seedResource,
  sourceOverview,
} from '../house/server/fixture.ts';
import { base, seedPast } from '../house/server/past-house.ts';

/** The pages in a browser that people have: Debian's Chromium, or whatever `CHROMIUM` names. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const hasBrowser = existsSync(executablePath);

const steps = [
  { datetime: '2026-01-01T00:00:00Z', content: '<dc>1</dc>' },
  { datetime: '2026-02-01T00:00:00Z', content: '<dc>2</dc>' },
];
const item = '/kyushu/items/oai:r:1';
const pages = [
  '/',
  '/about',
  '/search',
  '/kyushu/about',
  '/kyushu/collections/c',
  item,
  `/timemap/html/${base}${item}/oai_dc.xml`,
  '/kyushu/resourcelist.xml',
  '/kyushu/resourcelist.xml?q=oai_dc',
  '/nothing/at/all',
];

describe.skipIf(!hasBrowser)('in a browser', () => {
  let house: House;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    house = await openHouse({ search: { has: () => true } });
    house.sources.push(
      sourceOverview(),
      sourceOverview({ name: 'other', healthy: false, problem: 'a: 503' }),
    );
    house.publication.published.push(publishedSet(), publishedSet('kyushu/metadata'));
    await seedPast(house.database, steps, { identifier: 'oai:r:1', collections: ['c'] });
    const name = '1-a_rather_long_file_name_of_an_article_2026_final.pdf';
    await seedResource(house.database, { identifier: 'oai:r:1', kind: 'file', name, collections: ['c'] });
    const up = `${base}/kyushu/capabilitylist.xml`;
    const head = renderListHead({
      baseUrl: base,
      capability: 'resourcelist',
      up,
      at: '2026-11-21T04:00:00Z',
    });
    const entries = Array.from({ length: 150 }, (_, n) =>
      renderEntry(
        base,
        {
          ...{ kind: 'metadata', path: `kyushu/items/oai:r:${n}/oai_dc.xml`, mediaType: 'application/xml' },
          ...{ length: 10, lastmod: '2026-11-21T04:00:00Z', links: [] },
        },
        { mirrors: [], mementos: 'metadata' },
      ),
    );
    await house.publication.stage('kyushu/resourcelist.xml', head + entries.join('') + listTail);
    origin = await house.origin();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await house?.close();
  });

  async function withPage(
    { locale, width, dark = false }: { locale: string; width: number; dark?: boolean },
    use: (page: Page) => Promise<void>,
  ) {
    const context = await browser.newContext({
      ...{ locale, viewport: { width, height: 740 }, bypassCSP: true, serviceWorkers: 'block' },
      colorScheme: dark ? 'dark' : 'light',
    });
    try {
      await use(await context.newPage());
    } finally {
      await context.close();
    }
  }

  test.each([
    { locale: 'en-GB', width: 1280 },
    { locale: 'ja-JP', width: 1280, dark: true },
    { locale: 'ja-JP', width: 360 },
    { locale: 'en-GB', width: 360, dark: true },
  ])('axe finds nothing: %o', { timeout: 120_000 }, async (view) => {
    await withPage(view, async (page) => {
      for (const path of pages) {
        await page.goto(`${origin}${path}`);
        expect(await page.getAttribute('html', 'lang')).toBe(view.locale.slice(0, 2));
        await page.evaluate(axe.source);
        const violations = await page.evaluate(
          '(async () => (await axe.run()).violations.map((one) => one.id + ": " + one.nodes.map((node) => node.html).join("; ")))()',
        );
        expect(violations, path).toEqual([]);
      }
    });
  });

  test.each(['en-GB', 'ja-JP'])(
    '360 pixels are enough, and no word of a table is broken: %s',
    { timeout: 120_000 },
    async (locale) => {
      await withPage({ locale, width: 360 }, async (page) => {
        for (const path of pages) {
          await page.goto(`${origin}${path}`);
          expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(360);
          expect(await page.evaluate(brokenWords), path).toEqual([]);
        }
      });
    },
  );

  test('the language is chosen by a link, and stays; a document is read on by its links', {
    timeout: 120_000,
  }, async () => {
    await withPage({ locale: 'en-GB', width: 800 }, async (page) => {
      await page.goto(`${origin}/kyushu/resourcelist.xml`);
      expect(await page.textContent('h1')).toBe('Resource List');
      await page.click('a[rel=next]');
      expect(await page.locator('.items li').count()).toBe(50);
      await page.click('text=日本語');
      expect(await page.textContent('h1')).toBe('リソースリスト');
      expect(await page.locator('.items li').count()).toBe(50);
      await page.fill('#q', 'oai:r:149/');
      await page.keyboard.press('Enter');
      await page.waitForURL(/q=oai/);
      expect(await page.locator('.items li').count()).toBe(1);
    });
  });
});

/** Words of cells that stand on more than one line; addresses and names of files may. */
const brokenWords = `(() => {
  const broken = [];
  for (const cell of document.querySelectorAll('td, th')) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.closest('.mono, .any')) continue;
      for (const word of node.data.matchAll(/[\\p{Script=Latin}\\d]+/gu)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) broken.push(word[0]);
      }
    }
  }
  return broken;
})()`;
