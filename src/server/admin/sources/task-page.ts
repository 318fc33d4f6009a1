import type { FastifyInstance } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { findAsked } from '../../../store/runs/asked.ts';
import { html } from '../../html/html.ts';
import { Refusal } from '../../http/errors.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { sendAdminPage } from '../page/admin-page.ts';
import { readerOf, wordsOf } from '../page/language.ts';
import { when } from '../page/when.ts';
import { runTable } from '../runs/run-table.ts';

/** Something that somebody asked for, and how far it is. */
export function taskPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route<{ Params: { task: string } }>({
    method: ['GET', 'HEAD'],
    url: '/admin/tasks/:task',
    config: { operationId: 'getTaskPage', needs: 'read' },
    handler: async (request, reply) => {
      const { task } = request.params;
      const asked = /^\d{1,9}$/.test(task)
        ? await findAsked(primaryOf(deps.database), Number(task))
        : undefined;
      if (!asked) throw new Refusal('not-found', 'nothing was asked for by this number');
      const words = wordsOf(request);
      const reader = readerOf(deps, request);
      const now = toIso(deps.clock.now());
      const { source, kind, what, who, at, state, message, run } = asked;
      const place = `${basePathOf(deps)}/admin/sources/${source}`;
      const body = html`<dl><dt>${words.sources.source}</dt><dd><a href="${place}">${source}</a></dd><dt>${words.source.mode}</dt><dd>${kind} <bdi class="mono">${what}</bdi></dd><dt>${words.task.by}</dt><dd>${who}, ${when(reader, at, now)}</dd><dt>${words.task.state}</dt><dd>${words.task.states[state]} <span class="soft">${message}</span></dd></dl>
${run && runTable([run], words, reader, now)}`;
      return sendAdminPage(deps, request, reply, {
        title: words.task.title,
        body,
        visitor: visitorOf(request),
      });
    },
  });
}
