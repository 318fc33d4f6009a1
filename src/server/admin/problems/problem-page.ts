import type { FastifyInstance } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { findUnreadable, type Unreadable } from '../../../store/runs/unreadable.ts';
import { causeId } from '../../../store/runs/unreadable-causes.ts';
import { findSource } from '../../../store/sources/sources.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import { Refusal } from '../../http/errors.ts';
import type { Reader } from '../../words/reader.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { sendAdminPage } from '../page/admin-page.ts';
import { readerOf } from '../page/language.ts';
import { when } from '../page/when.ts';
import { findRow } from '../sources/source-facts.ts';
import { problemWords } from './problem-words.ts';
import { visibleText, wholeRecord } from './raw-record.ts';
import { faultsOf, placeOf, retryButton } from './record-card.ts';

/** A record that could not be read: why, what was mended, and the record as it came with what is wrong marked. */
export function problemPageRoute(app: FastifyInstance, deps: AdminServer): void {
  app.route<{ Params: { source: string; problem: string } }>({
    method: ['GET', 'HEAD'],
    url: '/admin/sources/:source/problems/:problem',
    config: { operationId: 'getProblemPage', needs: 'read' },
    handler: async (request, reply) => {
      const { source, problem } = request.params;
      const reader = readerOf(deps, request);
      const words = problemWords[reader.language];
      const found = /^\d{1,9}$/.test(problem) ? await findProblem(deps, source, Number(problem)) : undefined;
      if (!found) throw new Refusal('not-found', words.gone);
      const visitor = visitorOf(request);
      const base = `${basePathOf(deps)}/admin/sources/${source}`;
      const place = `${base}/problems`;
      const now = toIso(deps.clock.now());
      const body = html`<p><a href="${base}">${source}</a> · <a href="${place}">${words.title(source)}</a></p>
<p><bdi>${told(found.message, reader.language)}</bdi></p>${retryButton(found, { reader, place, visitor })}
${facts(found, { reader, now, base })}
${record(found, reader)}`;
      const title = visibleText(found.identifier ?? words.hidden);
      return sendAdminPage(deps, request, reply, { title, body, visitor });
    },
  });
}

/** @throws Refusal where there is no such source */
export async function findProblem(
  deps: AdminServer,
  source: string,
  id: number,
): Promise<Unreadable | undefined> {
  await findRow(deps, source);
  const db = primaryOf(deps.database);
  const stored = await findSource(db, source);
  return stored && findUnreadable(db, stored.id, id);
}

interface FactsView {
  readonly reader: Reader;
  readonly now: string;
  /** The address of its source. */
  readonly base: string;
}

function facts(found: Unreadable, { reader, now, base }: FactsView): Markup {
  const words = problemWords[reader.language];
  const { format, code, cause, runId, firstSeenAt, lastSeenAt, repairs = [] } = found;
  const mended =
    repairs.length === 0
      ? words.noRepairs
      : html`<ul lang="en">${repairs.map((one) => html`<li><bdi>${one}</bdi></li>`)}</ul>`;
  return html`<dl><dt>${words.cause}</dt><dd><a href="${base}/problems?cause=${causeId(cause)}"><bdi>${told(cause, reader.language)}</bdi></a></dd><dt>${words.code}</dt><dd class="mono">${code}</dd>${format !== undefined && html`<dt>${words.format}</dt><dd class="mono">${format}</dd>`}<dt>${words.firstSeen}</dt><dd>${when(reader, firstSeenAt, now)}</dd><dt>${words.lastSeen}</dt><dd>${when(reader, lastSeenAt, now)}</dd><dt>${words.run}</dt><dd><a href="${base}#run-${runId}">${runId}</a></dd><dt>${words.repairs}</dt><dd>${mended}</dd></dl>`;
}

function record(found: Unreadable, reader: Reader): Markup {
  const words = problemWords[reader.language];
  const { raw, rawLength = 0 } = found;
  if (raw === undefined) return html`<p>${words.notKept}</p>`;
  const faults = faultsOf(found);
  const kept = Buffer.byteLength(raw);
  const places = faults.map(
    (fault) =>
      html`<li>${placeOf(fault, words, reader)}${fault.message !== undefined && html` <span class="soft"><bdi>${told(fault.message.replace(/\.$/, ''), reader.language)}</bdi></span>`}</li>`,
  );
  return html`<h2>${words.where}</h2>${faults.length === 0 ? html`<p>${words.noPlace}</p>` : html`<ul>${places}</ul>`}
<h2>${words.raw}</h2><p>${words.marks}${kept < rawLength && html` ${words.cut(reader.size(kept), reader.size(rawLength))}`}</p>
<pre class="raw lines" dir="ltr" tabindex="0" role="region" aria-label="${words.raw}">${wholeRecord(raw, faults)}</pre>`;
}
