/** GET of a JSON document for tests, with the status it came with. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every form
  readonly json: any;
  readonly text: string;
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<Seen> {
  const response = await fetch(url, { headers, redirect: 'manual' });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    json: isJson ? JSON.parse(text) : undefined,
    text,
  };
}

/** Logs in as DSpace 7 and later want it; the Bearer header. */
export async function logIn(api: string, user: string, password: string): Promise<Record<string, string>> {
  const token = '6d1d5d0c-6a8f-4f3e-9f3e-4b7b0d1f2a3b';
  const response = await fetch(`${api}/authn/login`, {
    method: 'POST',
    headers: { 'x-xsrf-token': token, cookie: `DSPACE-XSRF-COOKIE=${token}` },
    body: new URLSearchParams({ user, password }),
  });
  await response.arrayBuffer();
  const authorization = response.headers.get('authorization');
  if (authorization === null) throw new Error(`not logged in: ${response.status}`);
  return { authorization };
}

/** The page and the ids of a search. */
export async function search(
  api: string,
  query: Record<string, string | number>,
  headers?: Record<string, string>,
): Promise<{ status: number; page: Record<string, number>; uuids: string[] }> {
  const parameters = new URLSearchParams({ dsoType: 'item' });
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  const { status, json } = await get(`${api}/discover/search/objects?${parameters}`, headers);
  const result = json?._embedded?.searchResult;
  const hits: { _embedded: { indexableObject: { uuid: string } | null } }[] = result?._embedded.objects ?? [];
  return {
    status,
    page: result?.page,
    uuids: hits.flatMap((hit) => hit._embedded.indexableObject?.uuid ?? []),
  };
}
