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

interface Noted extends Pick<Harvested, 'sourceId' | 'agent' | 'sender' | 'lastFrom' | 'records'> {
  readonly at: string;
}

/** Notes who harvests, and writes it down now and then. What a process that is killed had not written is not known. */
export class HarvestNotes {
  readonly #deps: Pick<ServerDeps, 'database'> & { readonly log: Pick<Log, 'warn'> };
  #kept = new Map<string, Harvested>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: Pick<ServerDeps, 'database'> & { readonly log: Pick<Log, 'warn'> }) {
    this.#deps = deps;
  }

  note(
    { headers }: FastifyRequest,
    { journal, sourceId }: Pick<OaiRepository, 'journal' | 'sourceId'>,
    { request, held }: Pick<OaiAnswer, 'request' | 'held'>,
  ): void {
    if (request?.verb !== 'ListRecords' && request?.verb !== 'ListIdentifiers') return;
    const [agent, sender] = [named(headers['user-agent']), named(headers.from)];
    // Of all sources together, each is told of its own records.
    const counts = new Map<number, number>(sourceId === undefined ? [] : [[sourceId, held.length]]);
    if (sourceId === undefined)
      for (const { origin } of held) counts.set(origin.sourceId, (counts.get(origin.sourceId) ?? 0) + 1);
    for (const [source, records] of counts)
      this.#add({ sourceId: source, agent, sender, at: journal.at, lastFrom: request.from, records });
    this.#timer ??= setTimeout(() => void this.write(), restMs).unref();
  }

  #add({ at, ...one }: Noted): void {
    const key = JSON.stringify([one.sourceId, one.agent, one.sender]);
    const known = this.#kept.get(key);
    if (!known && this.#kept.size >= mostKept) return;
    this.#kept.set(key, {
      ...one,
      firstAt: known?.firstAt ?? at,
      lastAt: at,
      requests: (known?.requests ?? 0) + 1,
      records: (known?.records ?? 0) + one.records,
    });
  }

  /** @returns when all that was noted is written down, also what was on its way */
  write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const kept = [...this.#kept.values()];
    this.#kept = new Map();
    if (kept.length > 0) this.#writing = this.#writing.then(() => this.#writeDown(kept));
    return this.#writing;
  }

  #writeDown(harvests: readonly Harvested[]): Promise<void> {
    return addHarvests(this.#deps.database, harvests).catch((error: unknown) =>
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
