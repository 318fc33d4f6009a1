import type { FastifyInstance } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { compareRuns, type RunComparison } from '../../../store/reading/run-comparison.ts';
import { findSource } from '../../../store/sources/sources.ts';
import { html } from '../../html/html.ts';
import { Refusal } from '../../http/errors.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { sendAdminPage } from '../page/admin-page.ts';
import { readerOf, wordsOf } from '../page/language.ts';
import { comparisonWords } from '../runs/comparison-words.ts';
import { comparisonTables } from '../runs/run-comparison.ts';
import { findRow } from './source-facts.ts';

/** One run of a source beside another one: the one before of its kind, or any. */
export function runPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route<{ Params: { source: string; run: string } }>({
    method: ['GET', 'HEAD'],
    url: '/admin/sources/:source/runs/:run',
    config: { operationId: 'getRunPage', needs: 'read' },
    handler: async (request, reply) => {
      const { source, run } = request.params;
      const reader = readerOf(deps, request);
      const words = comparisonWords[reader.language];
      const { with: other } = request.query as { with?: unknown };
      const [id, otherId] = [numberOf(run), other === undefined ? undefined : numberOf(other)];
      const isNumbered = id !== undefined && (other === undefined || otherId !== undefined);
      const found = isNumbered ? await comparisonOf(deps, source, id, otherId) : undefined;
      if (!found) throw new Refusal('not-found', words.gone);
      const base = `${basePathOf(deps)}/admin`;
      const place = `${base}/sources/${source}`;
      const view = { words: wordsOf(request), reader, now: toIso(deps.clock.now()) };
      const body = html`<p><a href="${place}">${source}</a> · <a href="${base}/log?source=${source}&amp;run=${id}">${words.log}</a></p>
${comparisonTables(found, view)}
<form method="get" action="${place}/runs/${id}" class="actions"><label class="inline" for="with">${words.other}</label><input id="with" name="with" inputmode="numeric" pattern="[0-9]+" required value="${otherOf(found, id)}"><button>${words.compare}</button></form>`;
      return sendAdminPage(deps, request, reply, {
        ...{ title: words.title(id ?? 0), body, visitor: visitorOf(request) },
      });
    },
  });
}

/** @throws Refusal where there is no such source */
export async function comparisonOf(
  deps: AdminServer,
  source: string,
  run: number,
  other: number | undefined,
): Promise<RunComparison | undefined> {
  await findRow(deps, source);
  const db = primaryOf(deps.database);
  const stored = await findSource(db, source);
  if (!stored) return undefined;
  return compareRuns(db, { id: stored.id, name: source }, run, {
    with: other,
    now: toIso(deps.clock.now()),
  });
}

function numberOf(value: unknown): number | undefined {
  return /^\d{1,9}$/.test(String(value)) ? Number(value) : undefined;
}

function otherOf({ before, after }: RunComparison, id: number | undefined): string {
  const other = after.run.id === id ? before : after;
  return other ? String(other.run.id) : '';
}
