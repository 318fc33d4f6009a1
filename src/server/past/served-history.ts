import { webUrl } from '../../core/addresses/web-url.ts';
import { whyWithheld } from '../../core/time/withheld.ts';
import type { ResourceHistory } from '../../store/history/timelines.ts';
import type { ServerDeps } from '../deps.ts';

/**
 * A history with the mementos that we can hand out: a redirect to the repository is no memento, so what is neither kept
 * here nor handed through by us is not announced at all.
 */
export function servedHistory(
  deps: Pick<ServerDeps, 'fileMode' | 'upstreamFiles'>,
  history: ResourceHistory,
): ResourceHistory {
  const { timeline, source } = history;
  if (timeline.mementos.every(({ elsewhere }) => elsewhere === undefined)) return history;
  const mode = deps.fileMode(source);
  const isHandedThrough = deps.upstreamFiles !== undefined && (mode === 'proxy' || mode === 'mirror');
  const mementos = timeline.mementos.filter(
    ({ elsewhere }) => elsewhere === undefined || (isHandedThrough && webUrl(elsewhere) !== undefined),
  );
  return { ...history, timeline: { ...timeline, mementos } };
}

/** For what a source of `deps` has deleted; see `core/time/withheld.ts`. */
export function whyWithheldHere(
  deps: Pick<ServerDeps, 'mementosOf'>,
  resource: Pick<ResourceHistory, 'source' | 'kind' | 'deletedAt' | 'withdrawnAt'>,
): string | undefined {
  return whyWithheld(resource, deps.mementosOf?.(resource.source)?.ofDeleted ?? true);
}
