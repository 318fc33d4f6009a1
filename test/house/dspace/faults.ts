import type { ServerResponse } from 'node:http';
import { Refusal } from './refusal.ts';
import type { Fault, SeenRequest } from './switches.ts';

/** Answers by the first fault that is meant for a request, and says whether there was one. */
export function answerByFault(
  faults: readonly Fault[],
  request: SeenRequest,
  response: ServerResponse,
  now: number,
): boolean {
  const fault = faults.find(({ when, times }) => times !== 0 && (when?.(request) ?? true));
  if (fault === undefined) return false;
  if (fault.times !== undefined) fault.times -= 1;
  if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
  switch (fault.reply) {
    case 'hang':
      return true;
    case 'disconnect':
      response.destroy();
      return true;
    case 'cut-off':
      response.writeHead(200, {
        'content-type': 'application/hal+json;charset=UTF-8',
        'content-length': 5000,
      });
      response.write(fault.body ?? '{"_embedded":{"searchResult":{"_embedded":{"objects":[{"type":"disc');
      // What is written has to leave before the line is cut.
      setImmediate(() => response.destroy());
      return true;
    case 'challenge':
      response.writeHead(200, { 'content-type': fault.contentType ?? 'text/html; charset=utf-8' });
      response.end(fault.body ?? challenge);
      return true;
    case 'forbidden-html':
      response.writeHead(403, { 'content-type': 'text/html' });
      response.end(fault.body ?? forbidden);
      return true;
    default:
      response.writeHead(fault.reply, {
        'content-type': fault.contentType ?? 'application/json;charset=UTF-8',
      });
      response.end(fault.body ?? JSON.stringify(new Refusal(fault.reply).json(request.path, now)));
      return true;
  }
}

export const forbidden =
  '<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center><hr><center>nginx</center></body></html>';
const challenge =
  '<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><noscript>Enable JavaScript and cookies to continue</noscript></body></html>';
