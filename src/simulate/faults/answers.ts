import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { addSeconds, toHttpDate } from '../../core/datetime.ts';
import { type Answer, type Request, withHeaders } from '../server/answer.ts';
import type { Fault, Scene } from './fault.ts';

const kind = 'answers';
const same = { kind, outcome: 'same', share: 1 } as const;
const later = { kind, outcome: 'later', share: 0.2 } as const;

/** What answers say. */
export const answerFaults: readonly Fault[] = [
  {
    ...{ name: 'gzip-undeclared', ...same },
    what: 'documents are gzip files, and no header says so (.xml.gz)',
    expects: 'recognises them by their first octets',
    content: (answer, { subject }) =>
      subject === 'document' && answer.status === 200 ? { ...answer, body: gzipSync(answer.body) } : answer,
  },
  {
    ...{ name: 'gzip-always', ...same },
    what: 'everything is compressed, for those too who ask for identity',
    expects: 'compares hashes with what comes out',
    answer: (answer) =>
      answer.status === 200 && answer.headers['content-encoding'] === undefined
        ? { ...withHeaders(answer, { 'content-encoding': 'gzip' }), body: gzipSync(answer.body) }
        : answer,
  },
  {
    ...{ name: 'wrong-types', ...same },
    what: 'everything is text/html',
    expects: 'looks at the contents',
    content: (answer) => withHeaders(answer, { 'content-type': 'text/html; charset=iso-8859-1' }),
  },
  {
    ...{ name: 'no-validators', ...same },
    what: 'there is neither ETag nor Last-Modified',
    expects: 'goes by what lists state',
    content: (answer) => withHeaders(answer, { etag: undefined, 'last-modified': undefined }),
  },
  {
    ...{ name: 'changing-etags', ...same },
    what: 'each answer has another ETag, and Last-Modified is always now',
    expects: 'goes by what lists state',
    content: (answer, { path, nth }, { now }) =>
      withHeaders(answer, { etag: `"${digest(`${path} ${nth}`)}"`, 'last-modified': toHttpDate(now) }),
  },
  {
    ...{ name: 'no-date', ...same },
    what: 'there is no Date',
    expects: 'goes by the times of documents',
    content: (answer) => withHeaders(answer, { date: undefined }),
  },
  {
    ...{ name: 'wrong-date', ...same },
    what: 'the clock that Date is from runs a day ahead',
    expects: 'goes by the times of documents',
    content: (answer, _, { now }) => withHeaders(answer, { date: toHttpDate(addSeconds(now, 86_400)) }),
  },
  struck(
    'html-errors',
    later,
    'error pages come as 200 with HTML',
    'takes them for no content, where anything is stated',
    page('An error has occurred'),
  ),
  struck(
    'login-pages',
    later,
    'a login page comes as 200 with HTML',
    'takes it for no content, where anything is stated',
    page('Please sign in'),
  ),
  struck('not-found', later, 'what is listed answers 404', 'deletes nothing because of it; tries again', () =>
    plain(404),
  ),
  struck('gone', later, 'what is listed answers 410', 'deletes nothing because of it; tries again', () =>
    plain(410),
  ),
  struck('forbidden', later, 'what is listed answers 403', 'deletes nothing because of it; tries again', () =>
    plain(403),
  ),
  {
    ...{ name: 'redirects', kind, outcome: 'same', share: 0.5 },
    what: 'resources are elsewhere for now (302)',
    expects: 'follows, and keeps the address that is listed',
    content: (answer, { path, subject }, { origin, repository, strikes }) => {
      const [, moved] = /^\/elsewhere(\/.*)$/.exec(path) ?? [];
      const version = moved === undefined ? undefined : repository.get(moved);
      if (version !== undefined) {
        const headers = { 'content-type': version.type };
        return { status: 200, headers, body: version.content.bytes() };
      }
      if (subject !== 'resource' || !strikes(path)) return answer;
      return { status: 302, headers: { location: `${origin}/elsewhere${path}` }, body: Buffer.alloc(0) };
    },
  },
  struck(
    'redirect-loops',
    later,
    'what is listed leads to itself',
    'stops after some steps',
    (answer, { path }, { origin }) => ({
      ...answer,
      ...{ status: 302, headers: { location: origin + path }, body: Buffer.alloc(0) },
    }),
  ),
  struck(
    'wrong-bytes',
    later,
    'resources have one octet that is another',
    'compares hashes, asks once more; keeps what it had',
    (answer) => {
      if (answer.body.length === 0) return answer;
      const body = Buffer.from(answer.body);
      body[Math.floor(body.length / 2)] = 0x21;
      return { ...answer, body };
    },
  ),
  struck(
    'stale-cache',
    same,
    'a cache has the state of before, unless it is told no-cache',
    'compares hashes, and asks once more with no-cache',
    (answer, { headers }) =>
      headers['cache-control'] === 'no-cache'
        ? answer
        : { ...answer, body: Buffer.from('an earlier state\n') },
  ),
];

function struck(
  name: string,
  usual: Pick<Fault, 'kind' | 'outcome' | 'share'>,
  what: string,
  expects: string,
  change: (answer: Answer, request: Request, scene: Scene) => Answer,
): Fault {
  return {
    ...{ name, ...usual, what, expects },
    content: (answer, request, scene) =>
      answer.status === 200 && request.subject === 'resource' && scene.strikes(request.path, request.nth)
        ? change(answer, request, scene)
        : answer,
  };
}

function page(text: string): () => Answer {
  const body = Buffer.from(
    `<!DOCTYPE html><html><head><title>${text}</title></head><body>${text}</body></html>`,
  );
  return () => ({ status: 200, headers: { 'content-type': 'text/html' }, body });
}

function plain(status: number): Answer {
  return { status, headers: { 'content-type': 'text/plain' }, body: Buffer.from(`${status}\n`) };
}

function digest(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
