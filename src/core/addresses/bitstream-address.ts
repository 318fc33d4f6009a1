const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const forms = new RegExp(`/bitstreams/(?:(${uuid})/(?:download|content|retrieve)|(\\d+)/retrieve)/?$`, 'i');
const content = new RegExp(`/core/bitstreams/${uuid}/content$`, 'i');

/**
 * DSpace's own key of the file at an address, which is the same in all interfaces that a DSpace has at a time:
 * `{ui}/bitstreams/{uuid}/download`, `{server}/api/core/bitstreams/{uuid}/content`, `/rest/bitstreams/{id}/retrieve`
 * (a number in DSpace 5). Undefined for any other address.
 */
export function bitstreamOf(url: string): string | undefined {
  const [, id, number] = forms.exec(pathOf(url)) ?? [];
  return id?.toLowerCase() ?? number;
}

/** `{server}/api/core/bitstreams/{uuid}/content`, where a request for the whole is counted as a download. */
export function isBitstreamContent(url: string): boolean {
  return content.test(pathOf(url));
}

/**
 * Whether the server says that it delivers other bytes than those of the stated MD5, as DSpace does where it puts a
 * cover page in front: its tag of a bitstream is an MD5, quoted or not, that of the bitstream or a made-up one.
 * @param etag verbatim
 */
export function isTaggedAsOther(
  { url, hash }: { readonly url: string; readonly hash?: string | undefined },
  etag: string | undefined,
): boolean {
  const stated = /^md5:([0-9a-f]{32})$/.exec(hash ?? '')?.[1];
  const tag = /^(?:W\/)?("?)([0-9a-f]{32})\1$/i.exec(etag ?? '')?.[2]?.toLowerCase();
  return stated !== undefined && tag !== undefined && tag !== stated && bitstreamOf(url) !== undefined;
}

function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}
