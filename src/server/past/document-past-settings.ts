import type { Clock } from '../../core/adapter.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Publication } from '../../publish/published/publication.ts';
import type { ListsInTime } from '../../publish/time/lists-in-time.ts';
import type { Database } from '../../store/engine/database.ts';

export interface DocumentPastSettings {
  readonly database: Database;
  readonly publication: Publication;
  readonly listsInTime: ListsInTime;
  readonly baseUrl: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Those that are configured. */
  sets(): readonly ResourceSet[];
}
