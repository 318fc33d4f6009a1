import { expect, test } from 'vitest';
import { create } from 'xmlbuilder2';
import { rsNamespace, sitemapNamespace } from '../../../src/core/sitemap.ts';
import { renderSmallDocument, type SmallDocument } from '../../../src/publish/documents/small-document.ts';
import { stylesheetInstruction } from '../../../src/publish/documents/stylesheet-instruction.ts';
import { cleanText, toAsciiUri } from '../../../src/publish/documents/xml-text.ts';

/** What it was rendered with before. */
function renderByDom({ baseUrl, root, links, md, entries }: SmallDocument): string {
  const whole = create({ version: '1.0', encoding: 'UTF-8' });
  whole.ins('xml-stylesheet', stylesheetInstruction(baseUrl));
  const top = whole.ele(sitemapNamespace, root);
  top.att('http://www.w3.org/2000/xmlns/', 'xmlns:rs', rsNamespace);
  for (const { rel, href } of links) top.ele(rsNamespace, 'rs:ln', { rel, href: toAsciiUri(href) });
  top.ele(rsNamespace, 'rs:md', present(md));
  for (const entry of entries) {
    const element = top.ele(sitemapNamespace, root === 'urlset' ? 'url' : 'sitemap');
    element.ele(sitemapNamespace, 'loc').txt(toAsciiUri(entry.loc));
    element.ele(rsNamespace, 'rs:md', present(entry.md));
    for (const { rel, href } of entry.links ?? []) {
      element.ele(rsNamespace, 'rs:ln', { rel, href: toAsciiUri(href) });
    }
  }
  return `${top.end({ prettyPrint: true })}\n`;
}

function present(attributes: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, cleanText(value)]],
    ),
  );
}

const baseUrl = 'https://bridge.example.org/a&b';

test.each<SmallDocument>([
  {
    ...{ baseUrl, root: 'urlset', md: { capability: 'description' }, entries: [] },
    links: [{ rel: 'describedby', href: 'https://bridge.example.org/a&b/about' }],
  },
  {
    ...{ baseUrl, root: 'urlset', md: { capability: 'capabilitylist', from: undefined } },
    links: [
      { rel: 'describedby', href: 'https://bridge.example.org/ü?a=1&b="2"' },
      { rel: 'up', href: 'https://bridge.example.org/<x>' },
    ],
    entries: [
      {
        loc: "https://bridge.example.org/it's/{x}?q=a&c=d",
        md: { capability: 'resourcelist', at: '2026-01-01T00:00:00Z', odd: 'a\tb\nc & <d> "e" \u0001ü' },
        links: [{ rel: 'describedby', href: 'https://bridge.example.org/about' }],
      },
      { loc: 'https://bridge.example.org/b', md: {} },
    ],
  },
  {
    ...{ baseUrl, root: 'sitemapindex', links: [], md: { capability: 'changelist', from: 'x' } },
    entries: [{ loc: 'https://bridge.example.org/c', md: { from: 'a', until: undefined } }],
  },
])('a small document of the root $root has the bytes that a DOM would give it', (document) => {
  expect(renderSmallDocument(document)).toBe(renderByDom(document));
});
