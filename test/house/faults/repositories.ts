import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EditedRepository } from './edited-repository.ts';

/** Repositories behind one address, that are edited, and know what there is. */
export interface Repositories {
  readonly names: readonly string[];
  url(name: string): string;
  /** Creates, changes and deletes records, some in each. */
  edit(): void;
  /** The path of each resource that there is, and its hash. */
  truth(name: string): ReadonlyMap<string, string>;
  /** Those that answer nothing but 500. */
  readonly down: Set<string>;
  /** Waited for before a list is answered. */
  onList: (name: string) => Promise<void> | undefined;
  /** The most lists of one repository that were asked for at once: one reader asks for one after the other. */
  readonly mostAtOnce: number;
  /** Lists that were asked for. */
  readonly asked: number;
  close(): Promise<void>;
}

export async function openRepositories(names: readonly string[], size: number): Promise<Repositories> {
  const endpoints = new Map(names.map((name) => [name, new EditedRepository(name, size)]));
  const open = new Map<string, number>();
  const counts = { most: 0, asked: 0, edits: 0 };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const name = url.pathname.split('/')[1] ?? '';
    const endpoint = endpoints.get(name);
    if (!endpoint) return void response.writeHead(404).end();
    if (repositories.down.has(name)) return void response.writeHead(500).end();
    if (url.searchParams.get('verb') === 'ListRecords') {
      counts.asked += 1;
      open.set(name, (open.get(name) ?? 0) + 1);
      counts.most = Math.max(counts.most, open.get(name) ?? 0);
      response.once('close', () => open.set(name, (open.get(name) ?? 1) - 1));
      await repositories.onList(name);
    }
    response.setHeader('content-type', 'text/xml; charset=utf-8');
    response.end(endpoint.answer(url.searchParams));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const repositories: Repositories = {
    names,
    url: (name) => `http://127.0.0.1:${port}/${name}/oai`,
    edit: () => {
      for (const endpoint of endpoints.values()) {
        for (let left = 10; left > 0; left -= 1) {
          counts.edits += 1;
          // Spread over 0 to 1, the same each time.
          endpoint.edit((counts.edits * 0.618034) % 1, `edit ${counts.edits}`);
        }
      }
    },
    truth: (name) => new Map(endpoints.get(name)?.truth()),
    down: new Set(),
    onList: () => undefined,
    get mostAtOnce() {
      return counts.most;
    },
    get asked() {
      return counts.asked;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return repositories;
}
