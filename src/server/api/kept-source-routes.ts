import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf } from '../admin/guard/actor.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import type { KeptSettings, SettingsPatch } from '../deps.ts';
import { Refusal } from '../http/errors.ts';
import { described, sourceParams } from '../openapi/described.ts';

type OfSource = { Params: { source: string } };

export const settingsSchema = Type.Object({
  name: Type.Optional(Type.String()),
  settings: Type.Unknown({ description: 'As somebody gave them, without defaults.' }),
});
const tagged = 'The header `ETag` is for `If-Match`: changed by somebody else meanwhile, it is refused.';

/** Sources that are kept in the database: their settings, changed and removed. */
export function keptSourceRoutes(api: FastifyInstance, deps: AdminServer): void {
  const { acts } = deps.admin;
  api.addContentTypeParser(
    'application/merge-patch+json',
    { parseAs: 'string' },
    api.getDefaultJsonParser('error', 'error'),
  );
  api.route<OfSource>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/sources/:source/settings',
    schema: { params: sourceParams },
    config: {
      ...{ operationId: 'getSourceSettings', needs: 'admin' },
      operation: {
        ...described(
          'The settings of a source of the database',
          { 200: ['The settings.', settingsSchema] },
          [400, 404],
        ),
        description: tagged,
      },
    },
    handler: async ({ params }, reply) => withTag(reply, await acts.keptSettings(params.source)),
  });
  api.route<OfSource & { Body: SettingsPatch }>({
    method: 'PATCH',
    url: '/api/v1/sources/:source/settings',
    schema: { params: sourceParams, body: Type.Unsafe<SettingsPatch>({ type: 'object' }) },
    config: {
      ...{ operationId: 'changeSourceSettings', needs: 'admin', acts: true },
      operation: {
        ...described(
          'Changes settings of a source of the database (JSON Merge Patch, RFC 7396)',
          { 200: ['The settings as they are now.', settingsSchema] },
          [400, 404, 412],
        ),
        description: tagged,
      },
    },
    handler: async (request, reply) => {
      const by = actorOf(deps, request);
      const changed = await acts.change(request.params.source, request.body, by, expectedOf(request));
      return withTag(reply, changed);
    },
  });
  api.route<OfSource>({
    method: 'DELETE',
    url: '/api/v1/sources/:source',
    schema: { params: sourceParams },
    config: {
      ...{ operationId: 'removeSource', needs: 'admin', acts: true },
      operation: {
        ...described(
          'Takes a source out of the configuration in the database: it is neither read nor served; what is stored of it stays',
          { 204: ['It is neither read nor served any more.', undefined] },
          [400, 404, 412],
        ),
        description: tagged,
      },
    },
    handler: async (request, reply) => {
      await acts.remove(request.params.source, actorOf(deps, request), expectedOf(request));
      return reply.code(204).send();
    },
  });
}

/** With the tag for `If-Match`. */
export function withTag(reply: FastifyReply, { settings, tag }: KeptSettings): object {
  reply.header('etag', `"${tag}"`);
  return { settings };
}

/** @throws Refusal where it names none of ours */
function expectedOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const condition = headers['if-match']?.trim();
  if (condition === undefined || condition === '*') return undefined;
  const [, tag] = /^"([\w-]{1,64})"$/.exec(condition) ?? [];
  if (tag === undefined) throw new Refusal('bad-request', '`If-Match` takes the `ETag` of the settings');
  return tag;
}
