const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const signposting = new RegExp(
  `^(https?://[^?#]+?)/signposting/(?:linksets|links|describedby)/${uuid}(?:/json)?$`,
  'i',
);
const download = new RegExp(`^(https?://[^?#]+?)/bitstreams/(${uuid})/download/?$`, 'i');

/**
 * Where the REST service of a DSpace (7 and later) is, as far as the addresses of its link sets tell.
 * @param urls of link sets and metadata that a landing page leads to
 * @returns the base without a slash at the end, e.g. `https://repo.example.org/server`
 */
export function dspaceServer(urls: readonly string[]): string | undefined {
  for (const url of urls) {
    const base = signposting.exec(url)?.[1];
    if (base !== undefined) return base;
  }
  return undefined;
}

/**
 * The address of a file's bytes for the address of the page that DSpace's user interface shows in their place:
 * `{ui}/bitstreams/{uuid}/download` becomes `{server}/api/core/bitstreams/{uuid}/content`. Others stay, and so do
 * those at the base itself: most repositories show their link sets below the user interface, which tells nothing.
 * @param server as of `dspaceServer`
 */
export function toContentUrl(url: string, server: string): string {
  const [, ui, id = ''] = download.exec(url) ?? [];
  return ui === undefined || ui.toLowerCase() === server.toLowerCase()
    ? url
    : `${server}/api/core/bitstreams/${id.toLowerCase()}/content`;
}
