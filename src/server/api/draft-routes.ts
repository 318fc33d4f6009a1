import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { DraftChoices } from '../../core/drafts/source-draft.ts';
import { type ErrorCode, errorTable } from '../../core/errors.ts';
import { draftStates } from '../../store/admin/drafts.ts';
import { actorOf } from '../admin/guard/actor.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { isBusy, readDraft } from '../admin/kept/draft-page.ts';
import { described, numberParams } from '../openapi/described.ts';
import { withoutUndefined } from './json-views.ts';
import { settingsSchema, withTag } from './kept-source-routes.ts';

const maybe = Type.Optional;
const texts = (maxItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 1, maxItems });

const wantedBody = Type.Object({
  address: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'Of the home page of a repository, or of its endpoint.',
  }),
  adapter: maybe(
    Type.String({ description: 'oai-pmh, dspace, dspace-legacy or resourcesync; default: what tells most.' }),
  ),
  group: maybe(Type.String({ description: 'Of the configuration.' })),
});
const choices = {
  name: maybe(Type.String({ maxLength: 100, description: 'The first segment of its URIs.' })),
  title: maybe(Type.String({ maxLength: 500 })),
  formats: maybe(texts(200)),
  collections: maybe(texts(1000)),
  files: maybe(Type.Union(['proxy', 'link', 'mirror', 'none'].map((mode) => Type.Literal(mode)))),
};
const choicesBody = Type.Object(choices);
const newSourceBody = Type.Object({
  draft: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'In which something was found.' }),
  ...choices,
});

const draftSchema = Type.Object({
  id: Type.Number(),
  state: Type.Unsafe<string>({ type: 'string', enum: [...draftStates] }),
  address: Type.String(),
  at: Type.String(),
  who: Type.String(),
  choices: Type.Unknown(),
  found: maybe(Type.Unknown({ description: 'What is at the address: protocol, formats, sets, settings.' })),
  trial: maybe(Type.Unknown({ description: 'What the first page of a harvest would bring.' })),
  source: maybe(Type.String({ description: 'As which it was added.' })),
  progress: maybe(Type.String()),
  code: maybe(Type.String({ description: 'Of what failed.' })),
  message: maybe(Type.String()),
  advice: maybe(Type.String()),
});

/** A source is added step by step: looked for, tried, kept. */
export function draftRoutes(api: FastifyInstance, deps: AdminServer): void {
  const { newSources } = deps.admin;
  const accepted = { 202: ['It is being done.', draftSchema] } as const;
  api.route<{ Body: Static<typeof wantedBody> }>({
    method: 'POST',
    url: '/api/v1/drafts',
    schema: { body: wantedBody },
    config: {
      ...{ operationId: 'lookForSource', needs: 'admin', acts: true },
      operation: described('Looks what can be harvested behind an address', accepted, [400]),
    },
    handler: async (request, reply) => {
      const id = await newSources.look(request.body, actorOf(deps, request));
      return follow(deps, reply, id);
    },
  });
  api.route<{ Params: { id: number } }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/drafts/:id',
    schema: { params: numberParams },
    config: {
      ...{ operationId: 'getDraft', needs: 'admin' },
      operation: described(
        'How far a source is that is to be added',
        { 200: ['What was found and tried.', draftSchema] },
        [404],
      ),
    },
    handler: ({ params }) => viewOf(deps, params.id),
  });
  api.route<{ Params: { id: number }; Body: DraftChoices }>({
    method: 'POST',
    url: '/api/v1/drafts/:id/trial',
    schema: { params: numberParams, body: choicesBody },
    config: {
      ...{ operationId: 'tryDraft', needs: 'admin', acts: true },
      operation: described(
        'Reads the first page of what was found, and stores nothing',
        accepted,
        [400, 404],
      ),
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      await newSources.trial(id, await withEarlier(deps, id, request.body), actorOf(deps, request));
      return follow(deps, reply, id);
    },
  });
  api.route<{ Body: DraftChoices & { draft: number } }>({
    method: 'POST',
    url: '/api/v1/sources',
    schema: { body: newSourceBody },
    config: {
      ...{ operationId: 'addSource', needs: 'admin', acts: true },
      operation: described(
        'Keeps what was found as a source in the database, which all processes work by within 10 seconds',
        { 201: ['Its name and settings.', settingsSchema] },
        [400, 404],
      ),
    },
    handler: async (request, reply) => {
      const { draft, ...chosen } = request.body;
      const all = await withEarlier(deps, draft, chosen);
      const name = await newSources.keep(draft, all, actorOf(deps, request));
      reply.code(201).header('location', `${deps.baseUrl}/api/v1/sources/${name}`);
      return { name, ...withTag(reply, await deps.admin.acts.keptSettings(name)) };
    },
  });
}

/** What is not said is as it was said before. */
async function withEarlier(deps: AdminServer, id: number, chosen: DraftChoices): Promise<DraftChoices> {
  const { choices: earlier } = await readDraft(deps, String(id));
  return { ...earlier, ...chosen };
}

async function follow(deps: AdminServer, reply: FastifyReply, id: number) {
  const view = await viewOf(deps, id);
  reply.code(202).header('location', `${deps.baseUrl}/api/v1/drafts/${id}`);
  return view;
}

async function viewOf(deps: AdminServer, number: number): Promise<Static<typeof draftSchema>> {
  const draft = await readDraft(deps, String(number));
  const { id, state, address, at, who, choices: chosen, found, trial, source, code, message } = draft;
  const told = isBusy(state) ? { progress: message } : { code, message, advice: adviceOf(code) };
  return {
    ...{ id, state, address, at, who, choices: chosen },
    ...withoutUndefined({ found, trial, source, ...told }),
  };
}

function adviceOf(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(errorTable, code) ? errorTable[code as ErrorCode] : undefined;
}
