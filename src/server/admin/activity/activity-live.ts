import { toIso } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { listUnderWay } from '../../../store/presence/under-way.ts';
import type { AdminServer } from '../guard/admin-server.ts';
import type { LiveView } from '../live/live-routes.ts';
import { readActivity } from './activity.ts';
import { activityParts } from './activity-page.ts';

/** What is under way each second, all else every five. */
export function activityLive(deps: AdminServer): LiveView {
  return async ({ shared, ...view }) => {
    const activity = await shared('activity', 4500, () => readActivity(deps));
    const works = await shared('works', 900, () => listUnderWay(primaryOf(deps.database)));
    const parts = activityParts({ ...activity, works }, { ...view, now: toIso(deps.clock.now()) });
    const { search, ...always } = parts;
    return { ...always, ...(search && { search }) };
  };
}
