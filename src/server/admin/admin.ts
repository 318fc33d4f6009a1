import type { FastifyInstance } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { accessRoutes } from './access/access-page.ts';
import { auditRoutes } from './access/audit-page.ts';
import { passwordLinkRoutes } from './access/password-link.ts';
import { signInRoutes } from './access/sign-in.ts';
import type { AdminServer } from './guard/admin-server.ts';
import { bodyLimit, installGuard } from './guard/guard.ts';
import { takeForms } from './page/form-body.ts';

/** The dashboard: somebody who signed in → pages that say how everything is, and forms that act. */
export function adminRoutes(app: FastifyInstance, deps: ServerDeps): void {
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
  });
}
