import type { FastifyInstance } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { allows } from '../../../store/admin/scope.ts';
import { html, type Markup, timeAndAge } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import { refuse } from '../../http/errors.ts';
import { actorOf } from '../guard/actor.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';
import { readerOf } from '../page/language.ts';
import { livePart } from '../page/live-part.ts';
import { numberCell, scrolledTable } from '../page/table.ts';
import { type Activity, readActivity } from './activity.ts';
import { activityWords } from './activity-words.ts';
import { type WorkView, workList } from './work-list.ts';

/** What is under way, what is due, and which processes there are. */
export function activityPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/activity',
    config: { operationId: 'getActivityPage', needs: 'read' },
    handler: async (request, reply) => {
      const reader = readerOf(deps, request);
      const words = activityWords[reader.language];
      const base = `${basePathOf(deps)}/admin`;
      const parts = activityParts(await readActivity(deps), {
        ...{ base, reader, now: toIso(deps.clock.now()) },
      });
      const visitor = visitorOf(request);
      const publish =
        allows(visitor.scope, 'run') &&
        html`<form method="post" action="${base}/publish" class="actions">${formToken(visitor)}<button name="what" value="lists">${words.publishLists}</button><button name="what" value="dumps">${words.publishDumps}</button></form>`;
      const body = html`<h2>${words.underWay}</h2>${livePart('works', parts.works)}
<h2>${words.queue}</h2>${livePart('queue', parts.queue)}${publish}
<h2>${words.processes}</h2>${livePart('processes', parts.processes)}
<h2>${words.resting}</h2>${livePart('resting', parts.resting)}
${parts.search && html`<h2>${words.search}</h2>${livePart('search', parts.search)}`}
<noscript><p><a href="${base}/activity">${words.again}</a></p></noscript>`;
      return sendAdminPage(deps, request, reply, {
        ...{ title: words.title, body, visitor },
        live: { view: 'activity' },
      });
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/publish',
    config: { operationId: 'publishByForm', needs: 'run', acts: true },
    handler: async (request, reply) => {
      const { what } = formOf(request.body);
      if (what !== 'lists' && what !== 'dumps') throw refuse('bad-request', 'published-anew-unknown', {});
      await deps.admin.installation.publish(what, actorOf(deps, request));
      return seeOther(deps, reply, '/activity');
    },
  });
}

export interface ActivityParts {
  readonly works: Markup;
  readonly queue: Markup;
  readonly processes: Markup;
  readonly resting: Markup;
  readonly search: Markup | undefined;
}

export function activityParts(activity: Activity, view: WorkView): ActivityParts {
  const { reader, now } = view;
  const words = activityWords[reader.language];
  const { works, search } = activity;
  return {
    works: workList(works, view),
    queue: queueTable(activity, reader, now),
    processes: processTable(activity, reader, now),
    resting: restingTable(activity, reader, now),
    search:
      search &&
      html`<p>${search.done >= search.total ? words.level : words.described(reader.count(search.done), reader.count(search.total))}</p>`,
  };
}

type Reader = WorkView['reader'];

function queueTable({ queue }: Activity, reader: Reader, now: string): Markup {
  const words = activityWords[reader.language];
  const at = (ms: number | undefined) =>
    html`<td>${timeAndAge(reader, ms === undefined ? undefined : toIso(new Date(ms)), now, '–')}</td>`;
  const number = (name: string) => ({ name, isNumber: true });
  const rows = queue.map(
    ({ kind, running, waiting, waitingSince, nextAt, failing }) =>
      html`<tr><td>${words.queueKinds[kind] ?? kind}</td>${numberCell(reader.count(running))}${numberCell(reader.count(waiting))}${at(waitingSince)}${at(nextAt)}${numberCell(reader.count(failing))}</tr>
`,
  );
  const columns = [
    ...[words.kind, number(words.running), number(words.waiting), words.oldest, words.next],
    number(words.failing),
  ];
  return scrolledTable(words.queue, columns, rows);
}

function processTable({ processes }: Activity, reader: Reader, now: string): Markup {
  const words = activityWords[reader.language];
  if (processes.length === 0) return html`<p>${words.noProcess}</p>`;
  const rows = processes.map(
    ({ role, pid, host, version, startedAt, seenAt, memory, heldUp }) =>
      html`<tr><td>${words.roles[role]}</td><td class="mono">${host}</td>${numberCell(String(pid))}<td>${version}</td><td>${timeAndAge(reader, startedAt, now)}</td><td>${timeAndAge(reader, seenAt, now)}</td>${numberCell(reader.size(memory))}${numberCell(reader.count(heldUp))}</tr>
`,
  );
  const number = (name: string) => ({ name, isNumber: true });
  const columns = [
    ...[words.role, words.host, number(words.process), words.version, words.started, words.seen],
    ...[number(words.memory), number(words.heldUp)],
  ];
  return scrolledTable(words.processes, columns, rows);
}

function restingTable({ resting }: Activity, reader: Reader, now: string): Markup {
  const words = activityWords[reader.language];
  if (resting.length === 0) return html`<p>${words.noRests}</p>`;
  const rows = resting.map(
    ({ host, until, reason }) =>
      html`<tr><td class="mono">${host}</td><td>${timeAndAge(reader, until, now)}</td><td>${told(reason ?? '', reader.language)}</td></tr>
`,
  );
  return scrolledTable(words.resting, [words.host, words.until, words.reason], rows);
}
