import { type Connection, connect } from '../../../adapters/dspace/connection.ts';
import { Session } from '../../../adapters/dspace/rest/session.ts';
import type { AdapterSettings } from '../../../src/core/adapter.ts';
import type { Item } from '../dspace/model.ts';
import type { Repository } from '../dspace/repository.ts';
import { type RestServer, type RestServerOptions, startRestServer } from '../dspace/rest/rest-server.ts';
import { sampleRepository } from '../dspace/sample-repository.ts';
import { type ContextDouble, createContext } from './http-double.ts';

export const { signal } = new AbortController();

export interface SampleDspace {
  readonly repository: Repository;
  readonly server: RestServer;
  readonly context: ContextDouble;
  readonly settings: AdapterSettings;
}

/** A simulated DSpace with some open items, and what an adapter is given to read it. */
export async function startSample(
  more: Partial<AdapterSettings> = {},
  options: Partial<RestServerOptions> = {},
): Promise<SampleDspace> {
  const repository = options.repository ?? sampleRepository({ items: 6, mix: 'open' });
  const server = await startRestServer({ version: '8.2', ...options, repository });
  const settings = {
    url: server.url,
    overlapSeconds: 300,
    requestsPerHost: 2,
    files: {},
    identity: 'oai:repo.example.org',
    ...more,
  } as const;
  return { repository, server, context: createContext(), settings };
}

export function connectTo({ settings, context }: SampleDspace): Promise<Connection> {
  const { login } = settings;
  return connect(settings, context, (base) => login && new Session(base, login, context), signal);
}

/** The item at a place, from 0 on. */
export function itemAt({ repository }: Pick<SampleDspace, 'repository'>, index: number): Item {
  const item = repository.items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

export function identifierOf({ handle, uuid }: Item): string {
  return handle === undefined || handle === null ? uuid : `oai:repo.example.org:${handle}`;
}
