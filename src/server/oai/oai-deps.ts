import type { Log } from '../../core/adapter.ts';
import type { ServerDeps } from '../deps.ts';

/** What an answer is made with. */
export interface OaiDeps extends Pick<ServerDeps, 'database' | 'directory' | 'baseUrl' | 'title'> {
  readonly log: Pick<Log, 'warn'>;
}
