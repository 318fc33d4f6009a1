import { describe, expect, it } from 'vitest';
import { checkDocument } from '../../../src/conformance/rules/document-check.ts';

/** What well-known software has published, in small documents of the same faults; each is named by its rule. */

const open = (root: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">`;
const up = '<rs:ln rel="up" href="https://repo.example.org/capabilitylist.xml"/>';
const about = '<rs:ln rel="describedby" href="https://repo.example.org/about"/>';
const urlset = (head: string, ...entries: string[]) =>
  `${open('urlset')}${head}${entries.map((entry) => `<url>${entry}</url>`).join('')}</urlset>`;
const loc = (path: string) => `<loc>https://repo.example.org/${path}</loc>`;
const at = '2026-01-01T00:00:00Z';

const outputs: readonly (readonly [name: string, document: string, errors: string[], warnings: string[]])[] =
  [
    [
      'changes without datetime, and deletions without lastmod (py-resourcesync, rspub-core)',
      urlset(
        `${up}<rs:md capability="changelist" from="${at}"/>`,
        `${loc('1.xml')}<lastmod>2026-01-01T10:00:00Z</lastmod><rs:md change="updated"/>`,
        `${loc('2.xml')}<rs:md change="deleted"/>`,
      ),
      [],
      ['RS-CL-13'],
    ],
    [
      'at for datetime, in a list without from (WEKO)',
      urlset(
        `${up}<rs:md capability="changelist"/>`,
        `${loc('1.xml')}<rs:md change="created" at="2026-01-01T10:00:00Z"/>`,
      ),
      ['RS-CL-02', 'RS-A-06', 'RS-ATTR-01', 'RS-CL-15'],
      ['RS-CL-13'],
    ],
    [
      'capability="capability" in a Source Description (WEKO)',
      urlset(
        `${about}<rs:md capability="description"/>`,
        `${loc('cap.xml')}<rs:md capability="capability"/>${about}`,
      ),
      ['RS-SD-05', 'RS-ATTR-03'],
      [],
    ],
    [
      'one Capability List for all sets (WEKO)',
      urlset(
        `${about}${up}<rs:md capability="capabilitylist"/>`,
        `${loc('1/resourcelist.xml')}<rs:md capability="resourcelist"/>`,
        `${loc('2/resourcelist.xml')}<rs:md capability="resourcelist"/>`,
      ),
      ['RS-CAP-05'],
      [],
    ],
    [
      'a Resource List without at (WEKO)',
      urlset(`${up}<rs:md capability="resourcelist"/>`, loc('1.xml')),
      ['RS-RL-02', 'RS-A-01'],
      [],
    ],
    [
      'a Change List Index that is a urlset (WEKO)',
      urlset(
        `${up}<rs:md capability="changelist" from="${at}"/>`,
        `${loc('cl-1.xml')}<rs:md from="${at}" until="2026-01-02T00:00:00Z"/>`,
      ),
      ['RS-CLI-03', 'RS-GEN-06'],
      [],
    ],
    [
      'from for at in a Resource List (DSpace)',
      urlset(`${up}<rs:md capability="resourcelist" from="${at}"/>`, loc('1.xml')),
      ['RS-RL-02', 'RS-A-01', 'RS-RL-11'],
      [],
    ],
    [
      'changelistindex as capability (DSpace)',
      `${open('sitemapindex')}${up}<rs:md capability="changelistindex" from="${at}"/><sitemap>${loc('cl-1.xml')}</sitemap></sitemapindex>`,
      ['RS-GEN-04', 'RS-CLI-03'],
      [],
    ],
    [
      'an up link in a Source Description (Hyrax)',
      urlset(
        `${about}${up}<rs:md capability="description"/>`,
        `${loc('cap.xml')}<rs:md capability="capabilitylist"/>${about}`,
      ),
      [],
      ['RS-NAV-06'],
    ],
    [
      'paths without a leading slash (resync)',
      urlset(
        `${up}<rs:md capability="resourcedump-manifest" at="${at}"/>`,
        `${loc('1.xml')}<rs:md path="resources/1.xml" type="application/xml"/>`,
      ),
      ['RS-ATTR-13', 'RS-RDM-09'],
      [],
    ],
    [
      'a package by the path of its file (py-resourcesync)',
      urlset(
        `${up}<rs:md capability="resourcedump" at="${at}"/>`,
        '<loc>/var/www/dump/part-1.zip</loc><rs:md type="application/zip" length="100"/>',
      ),
      ['RS-RD-06'],
      ['RS-GEN-08'],
    ],
    [
      'an offset from UTC, which the reference client reads with the wrong sign',
      urlset(`${up}<rs:md capability="resourcelist" at="2026-01-01T12:00:00+09:00"/>`, loc('1.xml')),
      [],
      ['RS-TIME-02'],
    ],
    [
      'a Source Description of ResourceSync 0.9',
      urlset(`${about}<rs:md capability="resourcesync"/>`, loc('cap.xml')),
      ['RS-GEN-04', 'RS-SD-01'],
      [],
    ],
  ];

describe('the broken outputs of peers', () => {
  it.each(outputs)('%s', async (_, document, errors, warnings) => {
    const { findings } = await checkDocument(once(document));
    const rules = (severity: string) =>
      [
        ...new Set(findings.filter((finding) => finding.severity === severity).map(({ rule }) => rule)),
      ].sort();
    expect(rules('error')).toEqual([...errors].sort());
    expect(rules('warning')).toEqual([...warnings].sort());
  });
});

async function* once(text: string) {
  yield Buffer.from(text);
}
