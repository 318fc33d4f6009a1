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

/** What takes longer is told. */
export const slowMilliseconds = 1000;

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
    if (reply.elapsedTime > slowMilliseconds) request.log.info(describe(request, reply), 'slow answer');
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    // What nobody reads is not written.
    if (isHeard(request.log)) request.log.debug(describe(request, reply), 'request');
    done();
  });
}

export function isHeard(log: FastifyBaseLogger): boolean {
  const { isLevelEnabled } = log as Partial<Pick<BaseLogger, 'isLevelEnabled'>>;
  return isLevelEnabled?.call(log, 'debug') ?? true;
}

function describe(request: FastifyRequest, reply: FastifyReply): object {
  return describeAnswer({
    method: request.method,
    url: request.url,
    operationId: request.routeOptions.config?.operationId,
    status: reply.statusCode,
    milliseconds: reply.elapsedTime,
  });
}

/** No headers, and of the query only the names: values may be secrets of another application. */
export function describeAnswer(answer: {
  readonly method: string;
  readonly url: string;
  readonly operationId: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
}): object {
  const [whole = '', query = ''] = answer.url.split('?', 2);
  // A link that was sent to one person is a secret.
  const path = whole.replace(/^(\/share\/).+/, '$1…');
  return {
    method: answer.method,
    path: path.slice(0, 500),
    query: [...new URLSearchParams(query).keys()].slice(0, 10),
    operation: answer.operationId,
    status: answer.status,
    milliseconds: Math.round(answer.milliseconds),
  };
}
