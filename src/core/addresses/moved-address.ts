/**
 * What an address is called where requests for it are redirected for good: without credentials, and without what a
 * request has behind the address.
 * @param asked a request: the address, with a path (`below`) and fields of a query behind it
 * @param answered where that has led
 * @returns undefined: nothing that could take the place of the address
 */
export function movedAddress(asked: string, answered: string, below = ''): string | undefined {
  const [from, to] = [new URL(asked), new URL(answered)];
  if (!from.pathname.endsWith(below) || !to.pathname.endsWith(below)) return undefined;
  for (const url of [from, to]) {
    url.username = '';
    url.password = '';
    url.hash = '';
    url.pathname = url.pathname.slice(0, url.pathname.length - below.length);
  }
  for (const name of new Set(from.searchParams.keys())) to.searchParams.delete(name);
  from.search = '';
  return to.href === from.href ? undefined : to.href;
}
