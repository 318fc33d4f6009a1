import { request } from 'node:http';

/** What came over the wire: header lines as they were, none of them joined. */
export interface Answer {
  readonly status: number;
  /** Of one name, in whatever case, every line of it. */
  lines(name: string): readonly string[];
  readonly body: string;
}

export function exchange(
  uri: string,
  method: 'GET' | 'HEAD',
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(uri);
    // The rest of the URI as it stands: a `?` with nothing behind it, too.
    const path = /^http:\/\/[^/]+(.*)$/.exec(uri)?.[1] ?? '/';
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode: status = 0, rawHeaders } = response;
        const lines = (name: string) =>
          rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
        resolve({ status, lines, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}

export interface MementoLink {
  readonly uri: string;
  /** As it is written, not split at its spaces. */
  readonly rel: string;
  readonly type?: string | undefined;
  readonly datetime?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * Links as lanl/memento-validator reads them: it knows no syntax, cuts where a comma is followed by `<`, and looks
 * for `name="` wherever it stands.
 */
export function linksLikeValidator(text: string): readonly MementoLink[] {
  return text.split(/,\s*</).flatMap((part) => {
    const of = (name: string) => new RegExp(`${name}="([^"]*)`).exec(part)?.[1];
    const rel = of('rel')?.trim();
    if (rel === undefined) return [];
    const uri = part.replaceAll(/[<>]/g, '').split(';')[0]?.trim() ?? '';
    return [{ uri, rel, type: of('type'), datetime: of('datetime'), from: of('from'), until: of('until') }];
  });
}

/**
 * Mementos as MemGator reads them, from a TimeMap or from the first `Link` line of a TimeGate: commas outside of
 * quotes and of `<…>` part the links, semicolons their attributes; what has no datetime is none of them.
 */
export function mementosLikeMemGator(text: string): readonly MementoLink[] {
  return partLinks(text).flatMap((link) => {
    const [uri = '', ...attributes] = link.replace(/^[<"\s]+|[<"\s]+$/g, '').split(/\s*>?"?\s*;\s*/);
    const values = new Map(
      attributes.flatMap((attribute): [string, string][] => {
        const [, name, value] = /^(.*?)\s*=\s*"?\s*(.*)$/s.exec(attribute) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value]];
      }),
    );
    const [rel, datetime] = [values.get('rel'), values.get('datetime')];
    return rel !== undefined && datetime !== undefined && /\bmemento\b/.test(rel)
      ? [{ uri, rel, datetime }]
      : [];
  });
}

function partLinks(text: string): readonly string[] {
  const parts = [''];
  let [isQuoted, isTarget] = [false, false];
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === '<') isTarget = true;
    if (character === '>') isTarget = false;
    if (character === ',' && !isQuoted && !isTarget) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}
