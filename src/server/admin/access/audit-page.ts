import type { FastifyInstance } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { listActs } from '../../../store/admin/audit.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { html, timeAndAge } from '../../html/html.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { sendAdminPage } from '../page/admin-page.ts';
import { languageOf, readerOf, wordsOf } from '../page/language.ts';
import { auditWords } from './audit-words.ts';

const perPage = 100;

/** Who did what. */
export function auditRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/audit',
    config: { operationId: 'getAuditPage', needs: 'admin' },
    handler: async (request, reply) => {
      const { audit } = wordsOf(request);
      const { before } = request.query as { before?: unknown };
      const from = /^\d{1,9}$/.test(String(before)) ? Number(before) : undefined;
      const acts = await listActs(primaryOf(deps.database), { before: from, limit: perPage + 1 });
      const shown = acts.slice(0, perPage);
      const now = toIso(deps.clock.now());
      const names = auditWords[languageOf(request)];
      const rows = shown.map(
        ({ at, who, action, what, address }) =>
          html`<tr><td>${timeAndAge(readerOf(deps, request), at, now)}</td><td>${who}</td><td>${names[action] ?? action}</td><td>${what}</td><td class="mono">${address}</td></tr>`,
      );
      const table = html`<div class="scroll" tabindex="0" role="region" aria-label="${audit.title}"><table><tr><th scope="col">${audit.at}</th><th scope="col">${audit.who}</th><th scope="col">${audit.action}</th><th scope="col">${audit.what}</th><th scope="col">${audit.address}</th></tr>
${rows}</table></div>`;
      const older =
        acts.length > perPage &&
        html`<p><a rel="next" href="${basePathOf(deps)}/admin/audit?before=${shown.at(-1)?.id}">${audit.older}</a></p>`;
      const body = html`${shown.length > 0 ? table : html`<p>${audit.none}</p>`}${older}`;
      return sendAdminPage(deps, request, reply, { title: audit.title, body, visitor: visitorOf(request) });
    },
  });
}
