import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger as BaseLogger } from 'pino';
import { failure } from '../../core/errors.ts';
import { UpstreamFileError } from '../../core/files/upstream-files.ts';

const slow = 1000;

/** One line a request, of our own; of Fastify's only those that nothing else would tell. */
export class RequestLog extends LogController {
  constructor() {
    super({ disableRequestLogging: true });
  }

  override streamError(error: Error & { code?: string }, request: FastifyRequest, reply: FastifyReply): void {
    const gone = error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    const fields = { ...describe(request, reply), err: error };
    if (gone) request.log.debug(fields, 'the client went away');
    else if (error instanceof UpstreamFileError)
      request.log.info({ code: error.code, ...fields }, 'the file ended early at the repository');
    else request.log.error({ ...failure(error), ...fields }, 'the answer ended early');
  }
}

export function installRequestLog(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // When the first byte goes out: how long the rest takes is the client's affair.
    if (reply.elapsedTime > slow) request.log.info(describe(request, reply), 'slow answer');
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    // What nobody reads is not written.
    if (isHeard(request.log)) request.log.debug(describe(request, reply), 'request');
    done();
  });
}

function isHeard(log: FastifyBaseLogger): boolean {
  const { isLevelEnabled } = log as Partial<Pick<BaseLogger, 'isLevelEnabled'>>;
  return isLevelEnabled?.call(log, 'debug') ?? true;
}

/** No headers, and of the query only the names: values may be secrets of another application. */
function describe(request: FastifyRequest, reply: FastifyReply): object {
  const [path = '', query = ''] = request.url.split('?', 2);
  return {
    method: request.method,
    path: path.slice(0, 500),
    query: [...new URLSearchParams(query).keys()].slice(0, 10),
    operation: request.routeOptions.config?.operationId,
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime),
  };
}
