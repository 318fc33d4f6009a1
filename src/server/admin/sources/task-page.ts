import type { FastifyInstance } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { type Asked, findAsked } from '../../../store/runs/asked.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import { refuse } from '../../http/errors.ts';
import type { Reader } from '../../words/reader.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import type { LiveView } from '../live/live-routes.ts';
import { sendAdminPage } from '../page/admin-page.ts';
import { readerOf, wordsIn, wordsOf } from '../page/language.ts';
import { livePart } from '../page/live-part.ts';
import { when } from '../page/when.ts';
import { runTable } from '../runs/run-table.ts';

/** What somebody asked for, until it is done, and its run. */
export function taskPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route<{ Params: { task: string } }>({
    method: ['GET', 'HEAD'],
    url: '/admin/tasks/:task',
    config: { operationId: 'getTaskPage', needs: 'read' },
    handler: async (request, reply) => {
      const asked = await readTask(deps, request.params.task);
      if (!asked) throw refuse('not-found', 'task-unknown', {});
      const base = `${basePathOf(deps)}/admin`;
      const view = { base, reader: readerOf(deps, request), now: toIso(deps.clock.now()) };
      return sendAdminPage(deps, request, reply, {
        title: wordsOf(request).task.title,
        body: livePart('task', taskFacts(asked, view)),
        visitor: visitorOf(request),
        live: { view: 'task', task: String(asked.id) },
      });
    },
  });
}

/** How far it is now. */
export function taskLive(deps: AdminServer): LiveView {
  return async ({ query, reader, base }) => {
    const asked = await readTask(deps, String(query.task ?? ''));
    return asked ? { task: taskFacts(asked, { base, reader, now: toIso(deps.clock.now()) }) } : {};
  };
}

async function readTask(deps: AdminServer, task: string): Promise<Asked | undefined> {
  return /^\d{1,9}$/.test(task) ? findAsked(primaryOf(deps.database), Number(task)) : undefined;
}

interface TaskView {
  /** Of the pages of the dashboard. */
  readonly base: string;
  readonly reader: Reader;
  readonly now: string;
}

function taskFacts(asked: Asked, { base, reader, now }: TaskView): Markup {
  const words = wordsIn(reader.language);
  const { source, kind, what, who, at, state, message, run } = asked;
  return html`<dl><dt>${words.sources.source}</dt><dd><a href="${base}/sources/${source}">${source}</a></dd><dt>${words.source.mode}</dt><dd>${words.source.kinds[kind]} <bdi class="mono any">${what}</bdi></dd><dt>${words.task.by}</dt><dd>${who}, ${when(reader, at, now)}</dd><dt>${words.task.state}</dt><dd>${words.task.states[state]} ${message !== undefined && html`<bdi class="soft any">${told(message, reader.language)}</bdi>`}</dd></dl>
${run && runTable([run], words, reader, now, `${base}/sources/${source}`)}`;
}
