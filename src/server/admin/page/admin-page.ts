import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, Markup } from '../../html/html.ts';
import { stylesheet } from '../../html/stylesheet.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import type { Visitor } from '../guard/visitor.ts';
import { languageOf, wordsOf } from './language.ts';
import { liveScript, liveScriptHash } from './live-script.ts';

const adminStyle = `${stylesheet}
button,input,select,textarea{font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:7px;padding:.25rem .7rem;min-height:2rem;max-width:100%}
input[type=checkbox]{min-height:1.2rem;width:1.2rem;vertical-align:middle}
button{cursor:pointer}button:hover{border-color:var(--accent)}
button:focus-visible,input:focus-visible,select:focus-visible,textarea:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
nav.admin{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;align-items:baseline}
nav.admin form,.inline{display:inline}
label{display:block;margin:.6rem 0 .2rem}label.inline{display:inline;margin:0}
.bad{color:var(--warn);font-weight:600}.bad.s::before{content:"▲"}
.actions{display:flex;flex-wrap:wrap;gap:.6rem;align-items:baseline;margin:.8rem 0}
.runs{display:block;width:120px;height:18px}
.runs .f{fill:var(--warn)}.runs .o{fill:var(--ok)}.runs .i{fill:var(--soft)}.runs .n{fill:var(--line)}
.curve{display:block;width:100%;max-width:38rem;height:auto}.curve path{fill:none;stroke:var(--accent);stroke-width:2}.curve circle{fill:var(--accent)}
.curve .d path{stroke:var(--warn);stroke-dasharray:5 4}.curve .d circle{fill:var(--warn)}figure{margin:.8rem 0}
.note{border-left:3px solid var(--accent);padding:.4rem .9rem;background:var(--card)}
.works{list-style:none;padding:0}.works li{margin:.8rem 0}progress{width:100%;max-width:24rem;height:.6rem;accent-color:var(--accent)}
.any{overflow-wrap:anywhere}fieldset{border:1px solid var(--line);border-radius:7px;margin:.8rem 0;min-width:0}.lines{white-space:pre-line}
.card h2{margin-top:0}.card+.card{margin-top:.9rem}h2 .mono{text-transform:none;letter-spacing:0}
.scroll{overflow-x:auto}.raw{max-height:24rem;overflow:auto}
.lines .l{display:block;position:relative;padding-left:3.6em}.lines .l::before{content:attr(data-n);position:absolute;left:0;width:2.8em;text-align:right;color:var(--soft)}
.lines mark{color:var(--warn);background:none;font-weight:700;text-decoration:underline wavy;text-underline-offset:3px}
.lines .u{font-size:.8em;border:1px solid currentColor;border-radius:3px;padding:0 .2em;margin:0 .1em}
`;

const styleHash = createHash('sha256').update(adminStyle).digest('base64');

/** No script at all, or the one that keeps numbers as they are now; forms go to us alone. */
const policyWith = (scripts: readonly string[]) =>
  [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    ...scripts,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
const policies = {
  still: policyWith([]),
  live: policyWith([`script-src 'sha256-${liveScriptHash}'`, "connect-src 'self'"]),
} as const;

export interface AdminPage {
  readonly title: string;
  readonly body: Markup;
  /** Undefined: nobody is signed in. */
  readonly visitor?: Visitor | undefined;
  readonly status?: number;
  /** Its parts are kept as they are now: what the stream of events is asked for. */
  readonly live?: Readonly<Record<string, string>>;
}

export function sendAdminPage(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  { title, body, visitor, status = 200, live }: AdminPage,
): FastifyReply {
  const words = wordsOf(request);
  const base = `${basePathOf(deps)}/admin`;
  const { nav } = words;
  const links = visitor && [
    html`<a href="${base}">${nav.sources}</a>`,
    html`<a href="${base}/activity">${nav.activity}</a>`,
    html`<a href="${base}/storage">${nav.storage}</a>`,
    html`<a href="${base}/subscriptions">${nav.subscriptions}</a>`,
    html`<a href="${base}/log">${nav.log}</a>`,
    deps.inbox && html`<a href="${base}/notifications">${nav.notifications}</a>`,
    visitor.scope === 'admin' && html`<a href="${base}/withdrawals">${nav.takedown}</a>`,
    visitor.scope === 'admin' && html`<a href="${base}/settings">${nav.settings}</a>`,
    visitor.scope === 'admin' && html`<a href="${base}/audit">${nav.audit}</a>`,
    html`<a href="${base}/access">${nav.access}</a>`,
    visitor.by === 'session' &&
      html`<form method="post" action="${base}/sign-out">${formToken(visitor)}<button>${nav.signOut}</button></form>`,
  ];
  const page = html`<!doctype html>
<html lang="${words.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex,nofollow">
<title>${title} — ${deps.title}</title><link rel="icon" href="data:,">
<style>${new Markup(adminStyle)}</style></head><body${live && html` data-events="${base}/live?${new URLSearchParams({ ...live, lang: words.language }).toString()}"`}>
<header><a class="name" href="${deps.baseUrl}/">${deps.title}</a><span class="grow"></span><nav class="admin" aria-label="${nav.label}">${links}<a href="${otherLanguage(request, base)}" hreflang="${words.language === 'en' ? 'ja' : 'en'}" lang="${words.language === 'en' ? 'ja' : 'en'}">${words.otherLanguage}</a></nav></header>
<main>
<h1>${title}</h1>
${body}
</main>${
    live &&
    html`
<script>${new Markup(liveScript)}</script>`
  }
</body></html>
`;
  const { lang } = (request.query ?? {}) as { lang?: unknown };
  if (lang === 'en' || lang === 'ja')
    reply.header(
      'set-cookie',
      `lang=${lang}; Path=${basePathOf(deps) || '/'}; SameSite=Lax; Max-Age=31536000`,
    );
  return reply
    .code(status)
    .headers({
      'content-security-policy': live ? policies.live : policies.still,
      'content-type': 'text/html; charset=utf-8',
      'content-language': words.language,
      vary: 'Accept-Language, Cookie',
    })
    .send(page.text);
}

/** This page in the other one; what a form was answered with is asked for anew. */
function otherLanguage(request: FastifyRequest, base: string): string {
  const [path = '', query = ''] = request.url.split('?', 2);
  const params = new URLSearchParams(request.method === 'POST' ? '' : query);
  params.set('lang', languageOf(request) === 'en' ? 'ja' : 'en');
  return `${base}${path.replace(/^\/admin/, '')}?${params}`;
}

/** In every form of somebody who is signed in. */
export function formToken(visitor: Visitor): Markup | undefined {
  return visitor.formToken === undefined
    ? undefined
    : html`<input type="hidden" name="form" value="${visitor.formToken}">`;
}

/** Sent on to another page of the dashboard, after something was done. */
export function seeOther(deps: AdminServer, reply: FastifyReply, path: string): FastifyReply {
  return reply.redirect(`${basePathOf(deps)}/admin${path}`, 303);
}

/** `like this` in a text of ours. */
export function withCode(text: string): Markup {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
