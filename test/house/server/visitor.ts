const start = ['/', '/robots.txt', '/.well-known/resourcesync', '/metrics', '/readyz'];
const addresses = /(?:href="|<loc>|Sitemap: |": ?"|<)(https?:\/\/[^"<>\s]+|\/\w[^"<>\s]*)(?=["<>\s])/g;

/**
 * Follows what a server links to within itself, a few addresses of each kind, as people and as programs do.
 * @returns what was asked for, each with the status of its answer
 */
export async function visitAll(origin: string, ofAKind = 3): Promise<readonly string[]> {
  const due = start.map((path) => origin + path);
  const known = new Set(due);
  const kinds = new Map<string, number>();
  const visited: string[] = [];
  for (let uri = due.shift(); uri !== undefined; uri = due.shift()) {
    for (const accept of ['text/html', '*/*']) {
      const answer = await fetch(uri, { headers: { accept }, redirect: 'manual' });
      visited.push(`${answer.status} ${uri}`);
      for (const next of await linksOf(answer, origin)) {
        const kind = next.replaceAll(/[0-9a-f]{16}|\d+/g, '0');
        const count = kinds.get(kind) ?? 0;
        if (known.has(next) || count >= ofAKind) continue;
        kinds.set(kind, count + 1);
        known.add(next);
        due.push(next);
      }
    }
  }
  return visited;
}

async function linksOf(answer: Response, origin: string): Promise<readonly string[]> {
  const body = await answer.text();
  const isText = /text|xml|json|link-format/.test(answer.headers.get('content-type') ?? '');
  const links = `${answer.headers.get('link') ?? ''} href="${answer.headers.get('location') ?? ''}"`;
  // Of what closes an element, the name is no address.
  const text = `${isText ? body.replaceAll(/<\/[\w:.-]+>/g, '<>') : ''} ${links}`;
  return [...text.matchAll(addresses)]
    .map(([, found = '']) => (found.startsWith('/') ? origin + found : found).replaceAll('&amp;', '&'))
    .filter((found) => found.startsWith(`${origin}/`));
}
