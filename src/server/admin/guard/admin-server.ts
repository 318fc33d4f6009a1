import type { AdminDeps, ServerDeps } from '../../deps.ts';

export interface AdminServer extends ServerDeps {
  readonly admin: AdminDeps;
}

/** The path of `baseUrl`, with which all addresses of ours begin; empty where it has none. */
export function basePathOf({ baseUrl }: Pick<ServerDeps, 'baseUrl'>): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}
