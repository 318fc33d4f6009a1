import type { FastifyInstance } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import { xmlPatchType } from '../../core/xml/xml-patch.ts';
import { findPatch } from '../../store/changes/patches.ts';
import type { ServerDeps } from '../deps.ts';
import { keptRepresentation } from '../files/kept-content.ts';
import { servedPath } from '../http/base-path.ts';
import { Refusal } from '../http/errors.ts';
import { sendRepresentation } from '../http/representation.ts';

const ours = /^([^/]+)\/patches\/([1-9]\d{0,14})-[0-9a-f]{16}\.xml$/;

/** What the `patch` links of Change Lists lead to (RS-LN-10). */
export function patchRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:source/patches/:file',
    config: { operationId: 'getPatch', open: true },
    handler: async (request, reply) => {
      const path = servedPath(request) ?? '';
      const [, source = '', seq = ''] = ours.exec(path) ?? [];
      const patch = source && (await findPatch(deps.database.reader, source, Number(seq), path));
      if (!patch) throw new Refusal('not-found', 'there is no such patch');
      if (patch.deletedAt !== undefined) {
        throw new Refusal('gone', `the resource of this patch was deleted at ${patch.deletedAt}`);
      }
      const content = { ...patch, mediaType: xmlPatchType, lastModified: patch.at };
      const cacheControl = 'public, max-age=31536000, immutable';
      const representation = keptRepresentation(deps, content, { cacheControl });
      return sendRepresentation(request, reply, representation, toIso(deps.clock.now()));
    },
  });
}
