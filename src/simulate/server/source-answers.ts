import { createHash } from 'node:crypto';
import { toHttpDate } from '../../core/datetime.ts';
import { mementoFolder } from '../documents/entries.ts';
import type { Version } from '../repository/repository.ts';
import type { Answer, Subject } from './answer.ts';

/** What a path has, of a Source: bytes of a document or a package, a state of a resource, a page. */
export interface SourceContents {
  document(path: string): Buffer | undefined;
  package(path: string): Buffer | undefined;
  resource(path: string): Version | undefined;
  former(number: number): Version | undefined;
  page(path: string): string | undefined;
}

/** A path → the whole answer of a server that does everything right. */
export function answerOf(
  path: string,
  contents: SourceContents,
  now: string,
): { readonly answer: Answer; readonly subject: Subject } {
  const date = toHttpDate(now);
  const current = contents.resource(path);
  const version = current ?? formerOf(path, contents);
  if (version !== undefined) {
    const headers = {
      ...(current ? {} : mementoHeaders(version)),
      date,
      etag: `"${version.content.hash('md5')}"`,
      'content-type': version.type,
      'last-modified': toHttpDate(version.lastmod),
    };
    return { subject: 'resource', answer: { status: 200, headers, body: version.content.bytes() } };
  }
  const found = (subject: Subject, type: string, body: Buffer) => {
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    return { subject, answer: { status: 200, headers: { date, etag, 'content-type': type }, body } };
  };
  const page = contents.page(path);
  if (page !== undefined) return found('page', 'text/html; charset=utf-8', Buffer.from(page));
  const document = contents.document(path);
  if (document !== undefined) return found('document', 'application/xml', document);
  const zip = contents.package(path);
  if (zip !== undefined) return found('package', 'application/zip', zip);
  const body = Buffer.from('there is nothing here\n');
  return {
    subject: 'nothing',
    answer: { status: 404, headers: { date, 'content-type': 'text/plain' }, body },
  };
}

/** RFC 7089, §2.1.2, §2.2.4 */
function mementoHeaders({ lastmod, path }: Version): Readonly<Record<string, string>> {
  return { 'memento-datetime': toHttpDate(lastmod), link: `<${path}>; rel="original"` };
}

/** `/mementos/17/resources/4` */
function formerOf(path: string, contents: SourceContents): Version | undefined {
  if (!path.startsWith(mementoFolder)) return undefined;
  const [, number, original] = /^(\d{1,12})(\/.*)$/.exec(path.slice(mementoFolder.length)) ?? [];
  const version = number === undefined ? undefined : contents.former(Number(number));
  return version?.path === original ? version : undefined;
}
