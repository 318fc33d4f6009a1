import type { FastifyInstance } from 'fastify';
import type { Bridge } from '../../bridge/bridge.ts';
import { createPrivacy } from '../../bridge/state/privacy.ts';
import { createSurvey } from '../../bridge/state/survey.ts';
import { version } from '../../bridge/version.ts';
import type { PageSource } from '../../export/site/pages.ts';
import type { Publication } from '../../publish/published/publication.ts';
import { createApp } from '../../server/app.ts';
import type { ServerDeps } from '../../server/deps.ts';
import { renderItemPages } from '../../server/items/item-pages.ts';
import { itemWords } from '../../server/words/items.ts';
import { createReader, type Reader } from '../../server/words/reader.ts';

/** The pages of the server without a server: asked for by injection, and made fit to be files. */
export interface ExportPages extends PageSource {
  close(): Promise<void>;
}

/** @param withPrivate whether pages speak of what is private, too */
export function createExportPages(bridge: Bridge, withPrivate: boolean): ExportPages {
  const { config } = bridge;
  const baseUrl = config.baseUrl.replace(/\/+$/, '');
  const survey = createSurvey(bridge);
  const deps: ServerDeps = {
    database: bridge.database,
    publication: remembering(bridge.publication),
    directory: config.directory,
    privacy: withPrivate ? undefined : createPrivacy(bridge),
    fileMode: (source) => bridge.config.sources[source]?.files.mode,
    mementosOf: (source) => bridge.config.sources[source]?.mementos,
    baseUrl,
    title: config.title,
    version,
    // Nobody asks a file for another language.
    pages: { ...config.pages, isAlone: true },
    robots: config.publish.robots,
    clock: bridge.clock,
    log: { level: 'silent' },
    setsOf: (source, title) => bridge.setsOf(source, title),
    jointSets: () => bridge.jointSets(),
    published: survey.published,
    // A tree of files is as it is, whenever somebody looks at it.
    sources: async () => (await survey.sources()).map((source) => ({ ...source, nextRunAt: undefined })),
    setsPerPage: Number.POSITIVE_INFINITY,
    // No TimeGate is asked for what they lead to, and retention changes them without a change of a resource.
    timelines: false,
  };
  const app = createApp(deps);
  const reader = createReader(config.pages.language, config.pages.timeZone);
  return {
    read: (path) => readPage(app, baseUrl, path, reader),
    async *readItems(source, identifiers) {
      for await (const { path, page } of renderItemPages(deps, source, identifiers)) {
        yield {
          path,
          content: page === undefined ? undefined : Buffer.from(toStatic(page, baseUrl, reader)),
        };
      }
    },
    close: () => app.close(),
  };
}

const rememberedMs = 1000;

/** Every page asks what is published; with a million of them in a row, not every answer is read anew. */
function remembering(publication: Publication): Publication {
  const remember = <Value>(read: (key: string) => Promise<Value>) => {
    const known = new Map<string, { readonly until: number; readonly value: Promise<Value> }>();
    return (key: string) => {
      const before = known.get(key);
      if (before && Date.now() <= before.until) return before.value;
      const value = read(key);
      known.set(key, { until: Date.now() + rememberedMs, value });
      return value;
    };
  };
  const sets = remember(() => publication.sets());
  return {
    find: (path) => publication.find(path),
    former: (path) => publication.former(path),
    set: remember((path) => publication.set(path)),
    sets: () => sets(''),
  };
}

/** The dashboard shows what is going on now, which a file cannot: the start is what `/about` says. */
async function readPage(
  app: FastifyInstance,
  baseUrl: string,
  path: string,
  reader: Reader,
): Promise<Uint8Array | undefined> {
  const response = await app.inject({
    url: `${new URL(baseUrl).pathname.replace(/\/$/, '')}/${path === '' ? 'about' : path}`,
    headers: { accept: 'text/html, */*;q=0.5' },
  });
  if (response.statusCode === 404 || response.statusCode === 410) return undefined;
  if (response.statusCode !== 200) throw new Error(`/${path} answers with ${response.statusCode}`);
  const isPage = String(response.headers['content-type']).startsWith('text/html');
  return isPage ? Buffer.from(toStatic(response.body, baseUrl, reader)) : response.rawPayload;
}

/**
 * A page as a file: nothing in it depends on when it is read, nor on what changes without a change of a resource
 * (a record that was only touched), and it has no link to what only a server answers
 * (a next page, another format, the history of a resource).
 */
export function toStatic(page: string, baseUrl: string, { language, time }: Reader): string {
  const words = itemWords[language];
  return page
    .replace(new RegExp(`<dt>${words.changedUpstream}</dt><dd>.*?</dd>`, 'gs'), '')
    .replace(
      /<time datetime="([^"]+)">[^<]*<\/time>(?: <span class="soft">[^<]*<\/span>)?/g,
      (_, iso: string) => `<time datetime="${iso}">${time(iso)}</time>`,
    )
    .replace(
      /<p>\s*<a rel="next"[^>]*>[^<]*<\/a>\s*<\/p>/g,
      () => `<p class="soft">${words.thereAreMore}</p>`,
    )
    .replace(/<a [^>]*?href="([^"]*)"[^>]*>((?:(?!<\/a>).)*)<\/a>/gs, (link, href: string, text: string) =>
      isServed(href, baseUrl) ? text : link,
    );
}

const living = /^(?:api|livez|readyz|metrics|timegate|timemap|memento)(?:\/|$)/;

function isServed(href: string, baseUrl: string): boolean {
  if (!href.startsWith(`${baseUrl}/`)) return false;
  const path = href.slice(baseUrl.length + 1);
  return path.includes('?') || living.test(path);
}
