import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** A browser that people have: Debian's Chromium, or whatever `CHROMIUM` names. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

export const hasBrowser = existsSync(executablePath);

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** How somebody looks at a page. */
export interface Look {
  readonly locale: string;
  readonly width: number;
  readonly dark?: boolean;
  /** Default: with scripts, as far as the page allows them. */
  readonly scripts?: boolean;
  /** For axe, whose script no page of ours would let in. */
  readonly bypassCSP?: boolean;
}

export async function withPage<Result>(
  browser: Browser,
  { locale, width, dark = false, scripts = true, bypassCSP = false }: Look,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const options: BrowserContextOptions = {
    ...{ locale, viewport: { width, height: 800 }, javaScriptEnabled: scripts, bypassCSP },
    colorScheme: dark ? 'dark' : 'light',
  };
  const context = await browser.newContext(options);
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}

/** What axe finds wrong, with the elements that it means. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  // As text: this program knows no types of a browser.
  return page.evaluate(
    '(async () => (await axe.run()).violations.map((one) => one.id + ": " + one.nodes.map((node) => node.html.slice(0, 300)).join("; ")))()',
  );
}

/** By how many pixels the page is wider than what is seen of it. */
export function tooWide(page: Page): Promise<number> {
  return page.evaluate('Math.max(0, document.documentElement.scrollWidth - window.innerWidth)');
}

/** Words of cells that stand on more than one line; addresses, identifiers and names of files may. */
export function brokenWords(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
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
})()`);
}

/** Goes by the Tab key to what has this name, as somebody without a mouse does. */
export async function tabTo(page: Page, selector: string, most = 200): Promise<void> {
  for (let pressed = 0; pressed < most; pressed += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`${selector} is not reached by ${most} times Tab`);
}
