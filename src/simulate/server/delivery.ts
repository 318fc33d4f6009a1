import type { ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

const tickMs = 100;

/** Sends an answer as it is to come: late, slowly, in part, or not at all. */
export function deliver(response: ServerResponse, answer: Answer, hasBody: boolean): void {
  const { waitMs = 0, isSilent = false } = answer.delivery ?? {};
  if (isSilent) return;
  if (waitMs === 0) send(response, answer, hasBody);
  else
    during(
      response,
      setTimeout(() => send(response, answer, hasBody), waitMs),
    );
}

function send(
  response: ServerResponse,
  { status, headers, body, delivery = {} }: Answer,
  hasBody: boolean,
): void {
  const { cutAfter, octetsPerSecond, chunked = false } = delivery;
  if (cutAfter === -1) {
    response.socket?.destroy();
    return;
  }
  const bare = status === 304 || status === 204;
  const length = bare || chunked ? {} : { 'content-length': String(body.length) };
  // A header that an answer has none of is not to be made up.
  response.sendDate = false;
  response.writeHead(status, { ...headers, ...length });
  if (bare || !hasBody) {
    response.end();
    return;
  }
  const part = cutAfter === undefined ? body : body.subarray(0, cutAfter);
  const end = () => {
    if (cutAfter === undefined) response.end();
    else
      during(
        response,
        setTimeout(() => response.destroy(), 20),
      );
  };
  if (octetsPerSecond === undefined) {
    if (cutAfter === undefined) response.end(part);
    else response.write(part.length === 0 ? Buffer.from('') : part, end);
    return;
  }
  trickle(response, part, Math.max(1, Math.round((octetsPerSecond * tickMs) / 1000)), end);
}

function trickle(response: ServerResponse, body: Buffer, step: number, end: () => void): void {
  let at = 0;
  const timer = setInterval(() => {
    response.write(body.subarray(at, at + step));
    at += step;
    if (at < body.length) return;
    clearInterval(timer);
    end();
  }, tickMs);
  response.once('close', () => clearInterval(timer));
}

/** Nothing is left waiting when the connection is gone. */
function during(response: ServerResponse, timer: NodeJS.Timeout): void {
  response.once('close', () => clearTimeout(timer));
}
