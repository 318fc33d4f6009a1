import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import { documentStylesheetPath } from '../../publish/documents/stylesheet-instruction.ts';
import type { ServerDeps } from '../deps.ts';
import { variables } from '../html/stylesheet.ts';
import { sendRepresentation } from './representation.ts';

/**
 * How a browser shows our XML to people. CSS alone (browsers are dropping XSLT), so links are texts: what can
 * be clicked is on the set's page. Entries are laid out only when they come into view, for lists of 50,000.
 */
const documentStylesheet = `@namespace s "http://www.sitemaps.org/schemas/sitemap/0.9";
@namespace rs "http://www.openarchives.org/rs/terms/";
:root{color-scheme:light dark;${variables}}
s|urlset,s|sitemapindex{display:block;max-width:70rem;min-height:100vh;box-sizing:border-box;margin:0 auto;padding:1.4rem 1.25rem 3rem;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
s|urlset::before,s|sitemapindex::before{content:"This is a ResourceSync document, meant for programs. The page “about”, beside the Capability List, describes the set.";display:block;margin:0 0 1.2rem;padding:.6rem .9rem;border:1px solid var(--line);border-left:4px solid var(--accent);border-radius:6px;background:var(--card);color:var(--soft);font-size:.87em}
rs|md,rs|ln{display:block}

:root>rs|ln{color:var(--soft);font-size:.87em}
:root>rs|ln::before{content:attr(rel) ": "}
:root>rs|ln[rel="up"]::before{content:"Belongs to "}
:root>rs|ln[rel="index"]::before{content:"Listed in "}
:root>rs|ln[rel="contents"]::before{content:"Contents in "}
:root>rs|ln[rel="describedby"]::before{content:"Described at "}
:root>rs|ln::after,s|loc,rs|ln::after{font-family:ui-monospace,monospace;font-size:.93em}
:root>rs|ln::after{content:attr(href);color:var(--accent)}

:root>rs|md{margin:.7rem 0 1.1rem}
rs|md[capability]{--capability:attr(capability)}
rs|md[capability="description"]{--capability:"Source Description"}
rs|md[capability="capabilitylist"]{--capability:"Capability List"}
rs|md[capability="resourcelist"]{--capability:"Resource List"}
rs|md[capability="changelist"]{--capability:"Change List"}
rs|md[capability="resourcedump"]{--capability:"Resource Dump"}
rs|md[capability="changedump"]{--capability:"Change Dump"}
rs|md[capability="resourcedump-manifest"]{--capability:"Resource Dump Manifest"}
rs|md[capability="changedump-manifest"]{--capability:"Change Dump Manifest"}
rs|md[capability="resourcelist-archive"]{--capability:"Resource List Archive"}
rs|md[capability="changelist-archive"]{--capability:"Change List Archive"}
rs|md[capability="resourcedump-archive"]{--capability:"Resource Dump Archive"}
rs|md[capability="changedump-archive"]{--capability:"Change Dump Archive"}
:root>rs|md::before{content:var(--capability,"");display:block;font-size:1.5rem;font-weight:600;line-height:1.3}
s|sitemapindex:root>rs|md::before{content:var(--capability,"") " Index"}
rs|md[at]{--at:"as of " attr(at)}
rs|md[completed]{--completed:", completed at " attr(completed)}
rs|md[from]{--from:"changes from " attr(from)}
rs|md[until]{--until:" until " attr(until)}
:root>rs|md[from]:not([until]){--until:" on; more will follow"}
:root>rs|md::after{content:var(--at,"") var(--completed,"") var(--from,"") var(--until,"");color:var(--soft)}

s|url,s|sitemap{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.1rem 1rem;padding:.65rem .9rem;border:1px solid var(--line);border-bottom:0;background:var(--card);content-visibility:auto;contain-intrinsic-size:auto 6.5rem}
s|url:last-child,s|sitemap:last-child{border-bottom:1px solid var(--line);border-radius:0 0 10px 10px}
rs|md+s|url,rs|md+s|sitemap{border-radius:10px 10px 0 0}
rs|md+s|url:last-child,rs|md+s|sitemap:last-child{border-radius:10px}
s|loc{grid-column:1}
s|lastmod{grid-column:2;color:var(--soft);white-space:nowrap}
s|url>rs|md,s|sitemap>rs|md{grid-column:1/-1;display:flex;gap:.6rem;align-items:baseline;color:var(--soft);font-size:.87em}
rs|md[datetime]{--datetime:attr(datetime)}
rs|md[datetime][type]{--datetime:attr(datetime) " · "}
rs|md[type]{--type:attr(type)}
rs|md[length]{--length:" · " attr(length) " bytes"}
rs|md[path]{--path:" · " attr(path)}
rs|md[hash]{--hash:" · " attr(hash)}
s|url>rs|md::after,s|sitemap>rs|md::after{content:var(--capability,"") var(--at,"") var(--completed,"") var(--from,"") var(--until,"") var(--datetime,"") var(--type,"") var(--length,"") var(--path,"") var(--hash,"");min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
rs|md[change]::before{font-weight:600;white-space:nowrap}
rs|md[change="created"]::before{content:"+ created";color:var(--ok)}
rs|md[change="updated"]::before{content:"± updated";color:var(--accent)}
rs|md[change="deleted"]::before{content:"− deleted";color:var(--warn)}
s|url>rs|ln,s|sitemap>rs|ln{grid-column:1/-1;color:var(--soft);font-size:.8em}
s|url>rs|ln::before,s|sitemap>rs|ln::before{content:attr(rel);display:inline-block;min-width:5.5rem}
s|url>rs|ln[rel$="/terms/patch"]::before{content:"patch"}
s|url>rs|ln::after,s|sitemap>rs|ln::after{content:attr(href)}
@media(max-width:44rem){
s|urlset,s|sitemapindex{padding-inline:.8rem}
s|lastmod{grid-column:1;font-size:.87em}
s|url>rs|md::after,s|sitemap>rs|md::after{white-space:normal}
s|url,s|sitemap{grid-template-columns:minmax(0,1fr);contain-intrinsic-size:auto 11rem}
}
`;

const bytes = Buffer.from(documentStylesheet);
const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;

export function documentStylesheetRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const lastModified = toIso(deps.clock.now());
  app.route({
    method: ['GET', 'HEAD'],
    url: `/${documentStylesheetPath}`,
    config: { operationId: 'getDocumentStylesheet', open: true },
    handler: (request, reply) => {
      const representation = {
        etag,
        lastModified,
        length: bytes.byteLength,
        ranges: true,
        mediaType: 'text/css; charset=utf-8',
        // It has no version in its address: every published document says the same one for ever.
        cacheControl: 'public, max-age=3600',
        open: async (start: number, end: number) => bytes.subarray(start, end),
      };
      return sendRepresentation(request, reply, representation, toIso(deps.clock.now()));
    },
  });
}

/** Lets a document load this stylesheet and nothing else, under whatever address it was opened. */
export function documentPolicy(baseUrl: string): string {
  const source = `${baseUrl}/${documentStylesheetPath}`.replace(/[;,'\s]/g, encodeURIComponent);
  return `default-src 'none'; style-src ${source}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
