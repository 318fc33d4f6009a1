import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noForm, parseArguments } from '../../oai/arguments.ts';
import type { ServerDeps } from '../deps.ts';
import { varyBy, wantsGzip } from '../http/negotiation.ts';
import { answerOai } from './answer.ts';
import { HarvestNotes } from './harvest-notes.ts';
import { createJointRepository } from './joint-repository.ts';
import type { OaiRepository } from './repository.ts';
import { createSourceRepositories } from './source-repository.ts';
import { createSecret } from './token-secrets.ts';
import { ListTurns } from './waiting/list-turns.ts';

interface OaiParams {
  /** Undefined: all of them. */
  readonly source?: string;
}

const addresses = [
  ['/:source/oai', 'askOai', 'askOaiByForm'],
  ['/:source/oai/', 'askOai', 'askOaiByForm'],
  ['/oai', 'askAllOai', 'askAllOaiByForm'],
  ['/oai/', 'askAllOai', 'askAllOaiByForm'],
] as const;

/** Identifiers may be long, and several arguments; nobody has more to say. */
const longestForm = 16_384;

const packed = promisify(gzip);

/** OAI-PMH 2.0, of each source that offers it, and of all together: all verbs by GET, HEAD and POST at one address. */
export function oaiRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const secret = createSecret(deps);
  const openSource = createSourceRepositories(deps, secret);
  const openAll = createJointRepository(deps, secret);
  const open = ({ source }: OaiParams): Promise<OaiRepository> =>
    source === undefined ? openAll() : openSource(source);
  const turns = new ListTurns();
  const notes = new HarvestNotes({ database: deps.database, log: app.log });
  app.addHook('onClose', () => notes.write());

  async function answer(
    request: FastifyRequest<{ Params: OaiParams }>,
    reply: FastifyReply,
  ): Promise<Buffer> {
    const repository = await open(request.params);
    const form = formOf(request);
    const given = form === undefined ? noForm : parseArguments(queryOf(request), form);
    const client = deps.clientOf?.(request.raw) ?? '';
    const isList = given.pairs.some(([name, value]) => name === 'verb' && value.startsWith('List'));
    const write = () => answerOai({ ...deps, log: request.log }, repository, given);
    const written = await (isList ? turns.take(client, write) : write());
    notes.note(request, repository, written);
    return send(request, reply, Buffer.from([...written.body].join('')));
  }

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Whatever a POST brings is answered in the protocol.
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: longestForm }, (_request, body, done) =>
      done(null, body),
    );
    // A slash at the end is answered in place: validators take a redirect for a fault.
    for (const [url, ask, askByForm] of addresses) {
      scope.route<{ Params: OaiParams }>({
        method: ['GET', 'HEAD'],
        url,
        config: { operationId: ask, open: true },
        handler: answer,
      });
      scope.route<{ Params: OaiParams }>({
        method: 'POST',
        url,
        bodyLimit: longestForm,
        config: { operationId: askByForm, acts: true },
        handler: answer,
      });
    }
  });
}

async function send(request: FastifyRequest, reply: FastifyReply, body: Buffer): Promise<Buffer> {
  reply.type('text/xml; charset=utf-8').header('cache-control', 'no-cache');
  varyBy(reply, 'Accept-Encoding');
  if (!wantsGzip(request.headers['accept-encoding'])) return body;
  reply.header('content-encoding', 'gzip');
  return packed(body, { level: 4 });
}

/** Each octet one character, as Node hands it on. */
function queryOf({ url }: FastifyRequest): string {
  const query = url.indexOf('?');
  return query < 0 ? '' : url.slice(query + 1);
}

/** Undefined: the body is no form. */
function formOf({ body, headers }: FastifyRequest): string | undefined {
  if (!Buffer.isBuffer(body) || body.length === 0) return '';
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  return isForm ? body.toString('latin1') : undefined;
}
