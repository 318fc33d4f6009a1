import type { FastifyRequest } from 'fastify';
import type { Log } from '../../core/adapter.ts';
import { failure } from '../../core/errors.ts';
import { addHarvests, type Harvested } from '../../store/oai/harvesters.ts';
import type { ServerDeps } from '../deps.ts';
import type { OaiAnswer } from './answer.ts';
import type { OaiRepository } from './repository.ts';

/** A page of a list costs no transaction of its own. */
const restMs = 5000;
const longestName = 200;
const mostKept = 1000;

/** Notes who harvests, and writes it down now and then. What a process that is killed had not written is not known. */
export class HarvestNotes {
  readonly #deps: Pick<ServerDeps, 'database'> & { readonly log: Pick<Log, 'warn'> };
  #kept = new Map<string, Harvested>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Pick<ServerDeps, 'database'> & { readonly log: Pick<Log, 'warn'> }) {
    this.#deps = deps;
  }

  note(
    { headers }: FastifyRequest,
    { journal }: OaiRepository,
    { request, records }: Pick<OaiAnswer, 'request' | 'records'>,
  ): void {
    if (request?.verb !== 'ListRecords' && request?.verb !== 'ListIdentifiers') return;
    const [agent, sender] = [named(headers['user-agent']), named(headers.from)];
    const key = JSON.stringify([journal.sourceId, agent, sender]);
    const known = this.#kept.get(key);
    if (!known && this.#kept.size >= mostKept) return;
    this.#kept.set(key, {
      ...{ sourceId: journal.sourceId, agent, sender },
      firstAt: known?.firstAt ?? journal.at,
      lastAt: journal.at,
      lastFrom: request.from,
      requests: (known?.requests ?? 0) + 1,
      records: (known?.records ?? 0) + records,
    });
    this.#timer ??= setTimeout(() => void this.write(), restMs).unref();
  }

  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const kept = this.#kept;
    this.#kept = new Map();
    if (kept.size === 0) return;
    await addHarvests(this.#deps.database, [...kept.values()]).catch((error: unknown) =>
      this.#deps.log.warn({ ...failure(error) }, 'who harvested by OAI-PMH could not be written down'),
    );
  }
}

/** As a line of text. */
function named(value: string | readonly string[] | undefined): string {
  return [value ?? '']
    .flat()
    .join(', ')
    .replace(/[^\x20-\x7e\xa0-\xff]/g, ' ')
    .trim()
    .slice(0, longestName);
}
