import type { FastifyInstance } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { accessRoutes } from './access/access-page.ts';
import { auditRoutes } from './access/audit-page.ts';
import { passwordLinkRoutes } from './access/password-link.ts';
import { signInRoutes } from './access/sign-in.ts';
import { activityLive } from './activity/activity-live.ts';
import { activityPageRoutes } from './activity/activity-page.ts';
import type { AdminServer } from './guard/admin-server.ts';
import { bodyLimit, installGuard } from './guard/guard.ts';
import { addPageRoutes } from './kept/add-page.ts';
import { changePageRoutes } from './kept/change-page.ts';
import { draftPageRoutes } from './kept/draft-page.ts';
import { removePageRoutes } from './kept/remove-page.ts';
import type { EventHub } from './live/event-hub.ts';
import { liveRoutes } from './live/live-routes.ts';
import { logPageRoutes } from './log/log-page.ts';
import { notificationsPageRoutes } from './notifications/notifications-page.ts';
import { takeForms } from './page/form-body.ts';
import { problemsPageRoutes } from './problems/problems-page.ts';
import { decisionRoutes } from './sources/decision-routes.ts';
import { runPageRoutes } from './sources/run-page.ts';
import { settingsPageRoutes } from './sources/settings-page.ts';
import { sourceActRoutes } from './sources/source-act-routes.ts';
import { sourcePageRoutes } from './sources/source-page.ts';
import { sourceLive, sourcesLive } from './sources/sources-live.ts';
import { sourcesPageRoutes } from './sources/sources-page.ts';
import { taskLive, taskPageRoutes } from './sources/task-page.ts';
import { storagePageRoutes } from './storage/storage-page.ts';
import { subscriptionPageRoutes } from './subscriptions/subscriptions-page.ts';
import { takedownPageRoutes } from './takedown/takedown-page.ts';

/** The dashboard: somebody who signed in → pages that say how everything is, and forms that act. */
export function adminRoutes(app: FastifyInstance, deps: ServerDeps, hub: EventHub): void {
  const { admin } = deps;
  if (!admin) return;
  const own: AdminServer = { ...deps, admin };
  app.register(async (pages) => {
    pages.addHook('onRoute', (route) => {
      route.bodyLimit ??= bodyLimit;
    });
    takeForms(pages);
    installGuard(pages, own, 'page');
    signInRoutes(pages, own);
    passwordLinkRoutes(pages, own);
    accessRoutes(pages, own);
    auditRoutes(pages, own);
    sourcesPageRoutes(pages, own);
    sourceActRoutes(pages, own);
    sourcePageRoutes(pages, own);
    runPageRoutes(pages, own);
    decisionRoutes(pages, own);
    addPageRoutes(pages, own);
    draftPageRoutes(pages, own);
    changePageRoutes(pages, own);
    removePageRoutes(pages, own);
    problemsPageRoutes(pages, own);
    taskPageRoutes(pages, own);
    takedownPageRoutes(pages, own);
    settingsPageRoutes(pages, own);
    logPageRoutes(pages, own);
    storagePageRoutes(pages, own);
    notificationsPageRoutes(pages, own);
    subscriptionPageRoutes(pages, own);
    activityPageRoutes(pages, own);
    liveRoutes(pages, own, hub, {
      activity: activityLive(own),
      source: sourceLive(own),
      sources: sourcesLive(own),
      task: taskLive(own),
    });
  });
}
