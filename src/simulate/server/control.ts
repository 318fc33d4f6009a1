import type { IncomingMessage } from 'node:http';
import { isBridgeError } from '../../core/errors.ts';
import type { Answer } from './answer.ts';
import type { Steering } from './steering.ts';

export const controlPath = '/control';
const largestBody = 64 * 1024 * 1024;

/** Thrown for a request that nobody can follow. */
class Refusal extends Error {}

/** The Source behind its documents: JSON for those who test with it. It never fails and never lies. */
export async function control(request: IncomingMessage, source: Steering): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', source.origin);
  const verb = `${request.method} ${pathname.slice(controlPath.length + 1)}`;
  try {
    if (request.method === 'POST') return await change(verb, request, source);
    if (request.method !== 'GET') throw new Refusal('GET or POST');
    if (verb === 'GET ') return json(source.facts());
    if (verb === 'GET state') return json(source.state());
    if (verb === 'GET sha256sums') return text(sums(source));
    if (verb === 'GET changes') return json(source.changes(Number(searchParams.get('since') ?? 0) || 0));
    throw new Refusal(`there is no ${verb}; GET ${controlPath} lists what there is`);
  } catch (error) {
    if (!(error instanceof Refusal) && !isBridgeError(error, 'usage')) throw error;
    return { ...json({ error: error.message }), status: 400 };
  }
}

/** What `sha256sum --check` reads, in a directory that has what is below the Source's address. */
function sums(source: Steering): string {
  const { origin } = source;
  return source
    .state()
    .resources.map(({ loc, hash }) => `${hash.slice('sha-256:'.length)}  ${loc.slice(origin.length + 1)}\n`)
    .sort()
    .join('');
}

async function change(verb: string, request: IncomingMessage, source: Steering): Promise<Answer> {
  // A page in a browser is no test.
  if (request.headers.origin !== undefined) return { ...json({ error: 'not from a browser' }), status: 403 };
  const given = await bodyOf(request);
  if (verb === 'POST step') source.step(numberOf(given, 'events', 1));
  else if (verb === 'POST put') source.put(pathOf(given), contentOf(given), typeOf(given));
  else if (verb === 'POST remove') {
    const path = pathOf(given);
    if (!source.remove(path)) throw new Refusal(`${path} is not there`);
  } else if (verb === 'POST pause') source.pause();
  else if (verb === 'POST resume') source.resume();
  else if (verb === 'POST list') source.list();
  else if (verb === 'POST forget') source.forget();
  else if (verb === 'POST faults') source.setFaults(namesOf(given));
  else throw new Refusal(`there is no ${verb}; GET ${controlPath} lists what there is`);
  return json(source.facts());
}

type Given = Readonly<Record<string, unknown>>;

async function bodyOf(request: IncomingMessage): Promise<Given> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > largestBody) throw new Refusal(`more than ${largestBody} octets`);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString('utf8');
  if (body.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Given;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Refusal(`give a JSON object, such as {"events": 5}, not ${body.slice(0, 40)}`);
}

function numberOf(given: Given, name: string, usual: number): number {
  const value = given[name] ?? usual;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 1_000_000) return value;
  throw new Refusal(`${name} is a whole number, 1 to 1000000`);
}

function pathOf({ path }: Given): string {
  if (typeof path === 'string' && /^\/[!-~]*$/.test(path)) return path;
  throw new Refusal('path is the path of an address, with its leading slash: "/resources/1"');
}

function contentOf({ text: words, base64 }: Given): string | Buffer {
  if (typeof words === 'string') return words;
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  throw new Refusal('text or base64 has the content');
}

function typeOf({ type }: Given): string | undefined {
  if (type === undefined || (typeof type === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(type))) return type;
  throw new Refusal('type is a media type: "text/plain"');
}

function namesOf({ faults }: Given): readonly string[] {
  if (Array.isArray(faults) && faults.every((name) => typeof name === 'string')) return faults;
  throw new Refusal('faults is a list of names, [] for none: {"faults": ["busy:0.5"]}');
}

function json(value: unknown): Answer {
  return text(`${JSON.stringify(value, undefined, 1)}\n`, 'application/json');
}

function text(body: string, type = 'text/plain; charset=utf-8'): Answer {
  return {
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'no-store' },
    body: Buffer.from(body),
  };
}
