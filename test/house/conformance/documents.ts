import type { DocumentKind } from '../../../src/conformance/documents/document-kind.ts';

const open = (root: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">`;
const up = '<rs:ln rel="up" href="https://example.org/up.xml"/>';
const about = '<rs:ln rel="describedby" href="https://example.org/about"/>';
const at = 'at="2026-01-02T00:00:00Z" completed="2026-01-02T01:00:00Z"';
const from = 'from="2026-01-01T00:00:00Z" until="2026-01-02T00:00:00Z"';
const hash = `hash="md5:${'a'.repeat(32)}" length="5" type="text/plain"`;
const zip = 'type="application/zip" length="10"';

function urlset(head: string, ...entries: string[]): string {
  return `${open('urlset')}${head}${entries.map((entry) => `<url>${entry}</url>`).join('')}</urlset>`;
}

function index(head: string, ...entries: string[]): string {
  return `${open('sitemapindex')}${head}${entries.map((entry) => `<sitemap>${entry}</sitemap>`).join('')}</sitemapindex>`;
}

const loc = (name: string) => `<loc>https://example.org/${name}</loc>`;
const change = (name: string, time: string, kind = 'created') =>
  `${loc(name)}<lastmod>2026-01-01T00:00:00Z</lastmod><rs:md change="${kind}" datetime="2026-01-01T${time}:00Z" ${hash}/>`;

const archive = (capability: string, first: string, second: string) =>
  urlset(
    `${up}<rs:md capability="${capability}-archive"/>`,
    `${loc('old-1.xml')}<rs:md ${first}/>`,
    `${loc('old-2.xml')}<rs:md ${second}/>`,
  );
const archiveIndex = (capability: string) =>
  index(`${up}<rs:md capability="${capability}-archive"/>`, loc('archive-1.xml'), loc('archive-2.xml'));

/** One correct document of each kind, with something in it for every rule to break. */
export const valid: Readonly<Record<DocumentKind, string>> = {
  SD: urlset(
    `${about}<rs:md capability="description"/>`,
    `${loc('a/capabilitylist.xml')}<rs:md capability="capabilitylist"/>${about}`,
    `${loc('b/capabilitylist.xml')}<rs:md capability="capabilitylist"/>${about}`,
  ),
  CAP: urlset(
    `${about}${up}<rs:md capability="capabilitylist"/>`,
    `${loc('resourcelist.xml')}<rs:md capability="resourcelist"/>`,
    `${loc('changelist.xml')}<rs:md capability="changelist"/>`,
  ),
  RL: urlset(
    `${up}<rs:md capability="resourcelist" ${at}/>`,
    `${loc('one')}<lastmod>2026-01-01T00:00:00Z</lastmod><changefreq>never</changefreq><rs:md ${hash}/>` +
      `<rs:ln rel="duplicate" href="https://mirror.example.org/one" pri="1"/>` +
      `<rs:ln rel="alternate" href="https://example.org/one.html" type="text/html"/>` +
      `<rs:ln rel="memento" href="https://example.org/m/one" modified="2026-01-01T00:00:00Z" ${hash}/>` +
      `<rs:ln rel="timegate" href="https://example.org/timegate/one"/>`,
    `${loc('two')}<lastmod>2026-01-01T00:00:00Z</lastmod>`,
  ),
  RLI: index(
    `${up}<rs:md capability="resourcelist" ${at}/>`,
    `${loc('part-1.xml')}<rs:md ${at}/>`,
    `${loc('part-2.xml')}<rs:md ${at}/>`,
  ),
  RD: urlset(
    `${up}<rs:md capability="resourcedump" ${at}/>`,
    `${loc('part-1.zip')}<rs:md ${zip}/><rs:ln rel="contents" href="https://example.org/1.xml"/>`,
    `${loc('part-2.zip')}<rs:md ${zip}/>`,
  ),
  RDI: index(`${up}<rs:md capability="resourcedump" ${at}/>`, `${loc('dump.xml')}<rs:md ${at}/>`),
  RDM: urlset(
    `${up}<rs:md capability="resourcedump-manifest" ${at}/>`,
    `${loc('one')}<rs:md ${hash} path="/one"/>`,
    `${loc('two')}<rs:md ${hash} path="/two"/>`,
  ),
  CL: urlset(
    `${up}<rs:md capability="changelist" ${from}/>`,
    `${change('one', '10:00')}<rs:ln rel="http://www.openarchives.org/rs/terms/patch" href="https://example.org/p" type="application/json-patch+json"/>`,
    change('one', '11:00', 'updated'),
    change('two', '12:00', 'deleted'),
  ),
  CLI: index(
    `${up}<rs:md capability="changelist" from="2026-01-01T00:00:00Z"/>`,
    `${loc('cl-1.xml')}<rs:md ${from}/>`,
    `${loc('cl-2.xml')}<rs:md from="2026-01-02T00:00:00Z"/>`,
  ),
  CD: urlset(
    `${up}<rs:md capability="changedump" from="2026-01-01T00:00:00Z"/>`,
    `${loc('1.zip')}<rs:md ${zip} from="2026-01-01T00:00:00Z"/>`,
    `${loc('2.zip')}<rs:md ${zip} from="2026-01-02T00:00:00Z"/>`,
  ),
  CDI: index(
    `${up}<rs:md capability="changedump" from="2026-01-01T00:00:00Z"/>`,
    `${loc('cd.xml')}<rs:md ${from}/>`,
  ),
  SDI: index(`${about}<rs:md capability="description"/>`, loc('sd-1.xml'), loc('sd-2.xml')),
  CDM: urlset(
    `${up}<rs:md capability="changedump-manifest" ${from}/>`,
    `${loc('one')}<rs:md change="created" datetime="2026-01-01T10:00:00Z" type="text/plain" path="/one"/>` +
      `<rs:ln rel="http://www.openarchives.org/rs/terms/patch" href="https://example.org/p" type="application/json-patch+json" path="/p"/>`,
    `${loc('one')}<rs:md change="updated" datetime="2026-01-01T11:00:00Z" type="text/plain" path="/one-2"/>`,
    `${loc('two')}<rs:md change="deleted" datetime="2026-01-01T12:00:00Z"/>`,
  ),
  RLA: archive('resourcelist', at, at.replaceAll('02T', '03T')),
  RDA: archive('resourcedump', at, at.replaceAll('02T', '03T')),
  CLA: archive('changelist', from, from.replace('02T', '03T').replace('01T', '02T')),
  CDA: archive('changedump', from, from.replace('02T', '03T').replace('01T', '02T')),
  RLAI: archiveIndex('resourcelist'),
  RDAI: archiveIndex('resourcedump'),
  CLAI: archiveIndex('changelist'),
  CDAI: archiveIndex('changedump'),
};
