/** A line of an index in the form CDXJ: where the record of an address and a time lies. */
export interface CdxjEntry {
  readonly uri: string;
  /** ISO UTC. */
  readonly date: string;
  readonly mime: string;
  readonly status: string | undefined;
  readonly digest: string;
  /** In the file, compressed. */
  readonly length: number;
  readonly offset: number;
  readonly fileName: string;
}

export function cdxjLine({ uri, date, mime, status, digest, length, offset, fileName }: CdxjEntry): string {
  const fields = {
    url: uri,
    mime,
    ...(status === undefined ? {} : { status }),
    digest,
    length: String(length),
    offset: String(offset),
    filename: fileName,
  };
  return `${searchKey(uri)} ${date.replace(/\D/g, '').slice(0, 14)} ${JSON.stringify(fields)}\n`;
}

/** An address in the order in which indexes are sorted (SURT): `org,example)/path?query`. */
export function searchKey(uri: string): string {
  const { hostname, port, pathname, search } = new URL(uri.toLowerCase());
  const host = hostname.replace(/^www\d*\./, '');
  const isNumber = /^[\d.]+$|^\[/.test(host);
  const reversed = isNumber ? host : host.split('.').reverse().join(',');
  const query = search === '' ? '' : `?${search.slice(1).split('&').sort().join('&')}`;
  // A path that ends with a slash is the same without.
  const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname;
  return `${reversed}${port === '' ? '' : `:${port}`})${path}${query}`;
}
