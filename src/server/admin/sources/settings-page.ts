import type { FastifyInstance } from 'fastify';
import type { AdminServer } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { sendAdminPage } from '../page/admin-page.ts';
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
      const body = settingsTable(deps.admin.settings(), words);
      return sendAdminPage(deps, request, reply, {
        title: words.source.settings,
        body,
        visitor: visitorOf(request),
      });
    },
  });
}
