import type { FastifyInstance } from 'fastify';
import { html } from '../../html/html.ts';
import { actorOf } from '../guard/actor.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage, withCode } from '../page/admin-page.ts';
import { wordsOf } from '../page/language.ts';
import { settingsTable } from './settings-table.ts';

/** The configuration as it is in force, without the sources: each has its own on its page. */
export function settingsPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/settings',
    config: { operationId: 'getSettingsPage', needs: 'admin' },
    handler: async (request, reply) => {
      const words = wordsOf(request);
      const visitor = visitorOf(request);
      const { done } = request.query as { done?: unknown };
      const body = html`${done === 'reload' && html`<p class="note" role="status">${words.settings.reloaded}</p>`}
<form method="post" action="${basePathOf(deps)}/admin/reload" class="actions">${formToken(visitor)}<button>${words.settings.reload}</button> <span class="soft">${withCode(words.settings.hint)}</span></form>
${settingsTable(deps.admin.settings(), words)}`;
      return sendAdminPage(deps, request, reply, {
        title: words.source.settings,
        body,
        visitor,
      });
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/reload',
    config: { operationId: 'reloadByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      await deps.admin.installation.reload(actorOf(deps, request));
      return seeOther(deps, reply, '/settings?done=reload');
    },
  });
}
