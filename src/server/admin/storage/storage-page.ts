import type { FastifyInstance } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { html, type Markup } from '../../html/html.ts';
import type { FilesMeasures, StorageMeasures } from '../../measures.ts';
import type { Reader } from '../../words/reader.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { sendAdminPage, withCode } from '../page/admin-page.ts';
import { readerOf } from '../page/language.ts';
import { numberCell, scrolledTable } from '../page/table.ts';
import { when } from '../page/when.ts';
import { storageWords } from './storage-words.ts';

/** What is kept, and where: database, disks, files, tables. */
export function storagePageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/storage',
    config: { operationId: 'getStoragePage', needs: 'read' },
    handler: async (request, reply) => {
      const reader = readerOf(deps, request);
      const words = storageWords[reader.language];
      const measures = await deps.storage?.();
      const view = { reader, base: `${basePathOf(deps)}/admin`, now: toIso(deps.clock.now()) };
      const body = measures ? storageParts(measures, view) : html`<p>${words.none}</p>`;
      return sendAdminPage(deps, request, reply, { title: words.title, body, visitor: visitorOf(request) });
    },
  });
}

interface StorageView {
  readonly reader: Reader;
  /** Of the dashboard. */
  readonly base: string;
  readonly now: string;
}

function storageParts(measures: StorageMeasures, view: StorageView): Markup {
  const { reader } = view;
  const words = storageWords[reader.language];
  const { files, inBucket, tables } = measures;
  const what = inBucket.map((one) => words.bucketOf[one] ?? one).join(reader.language === 'ja' ? '、' : ', ');
  return html`<p class="soft">${words.asOf(reader.time(measures.at))}</p>
<h2>${words.database}</h2>${databaseFacts(measures, view)}
<h2>${words.disks}</h2>${disksTable(measures, reader)}
<h2>${words.files}</h2>${files ? filesTables(files, view) : html`<p>${words.counting}</p>`}
${inBucket.length > 0 && html`<p>${words.bucket(what)}</p>`}
<h2>${words.tables}</h2>${tables.length > 0 ? tablesTable(measures, reader) : html`<p>${words.noTables}</p>`}`;
}

function databaseFacts(
  { database, items, resources, backupAt, waiting }: StorageMeasures,
  { reader, base, now }: StorageView,
): Markup {
  const words = storageWords[reader.language];
  const sized = (name: string, bytes: number | undefined) =>
    bytes !== undefined && html`<dt>${name}</dt><dd>${reader.size(bytes)}</dd>`;
  return html`<dl><dt>${words.kind}</dt><dd>${words.clients[database.client]}</dd>${sized(words.size, database.bytes)}${sized(words.wal, database.walBytes)}${sized(words.free, database.freeBytes)}<dt>${words.items}</dt><dd>${reader.count(items)}</dd><dt>${words.resources}</dt><dd>${reader.count(resources)}</dd><dt>${words.backup}</dt><dd>${backupAt === undefined ? withCode(words.noBackup) : when(reader, backupAt, now)}</dd><dt>${words.waiting}</dt><dd><a href="${base}/activity">${reader.count(waiting)}</a></dd></dl>`;
}

const numbers = (names: readonly string[]) => names.map((name) => ({ name, isNumber: true }));

function disksTable({ disks }: StorageMeasures, reader: Reader): Markup {
  const words = storageWords[reader.language];
  const rows = disks.map(
    ({ place, free, total }) =>
      html`<tr><td>${words.diskOf[place] ?? place}</td>${numberCell(reader.size(free))}${numberCell(reader.size(total))}</tr>
`,
  );
  return scrolledTable(words.disks, [words.disk, ...numbers([words.freeSpace, words.total])], rows);
}

function filesTables(files: FilesMeasures, { reader, base }: StorageView): Markup {
  const words = storageWords[reader.language];
  const cells = ({ files: count, bytes }: { readonly files: number; readonly bytes: number }) =>
    html`${numberCell(reader.count(count))}${numberCell(reader.size(bytes))}`;
  const places = files.places.map(
    (one) => html`<tr><td>${words.places[one.place]}</td>${cells(one)}</tr>
`,
  );
  const sources = files.sources.map(
    (one) => html`<tr><td><a href="${base}/sources/${one.name}">${one.name}</a></td>${cells(one)}</tr>
`,
  );
  const columns = numbers([words.number, words.bytes]);
  return html`<p>${words.counted(reader.time(files.at))}${!files.complete && html` <span class="warn">${words.cut}</span>`}</p>
${scrolledTable(words.files, [words.place, ...columns], places)}
${sources.length > 0 && html`<h3>${words.sources}</h3>${scrolledTable(words.sources, [words.source, ...columns], sources)}`}`;
}

function tablesTable({ tables }: StorageMeasures, reader: Reader): Markup {
  const words = storageWords[reader.language];
  const rows = tables.map(
    ({ name, bytes, rows: count }) =>
      html`<tr><td class="mono">${name}</td>${numberCell(reader.size(bytes))}${numberCell(reader.count(count))}</tr>
`,
  );
  return html`<p>${words.tablesNote}</p>${scrolledTable(words.tables, [words.table, ...numbers([words.size, words.rows])], rows)}`;
}
