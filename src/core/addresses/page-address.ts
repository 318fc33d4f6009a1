const persistent: ReadonlySet<string> = new Set(['doi.org', 'dx.doi.org', 'www.doi.org', 'hdl.handle.net']);
const fileEnding =
  /\.(?:pdf|docx?|odt|rtf|txt|xlsx?|ods|csv|pptx?|zip|gz|tgz|7z|xml|json|epub|ps|djvu|jpe?g|png|gif|tiff?|jp2|mp[34]|wav|avi|mov)$/i;

/** Hosts that resolve DOIs and handles: what they lead to is a page, whatever the identifier looks like. */
export function isResolver(host: string): boolean {
  return persistent.has(host);
}

/** Whether a path ends as those of files do. */
export function hasFileEnding(path: string): boolean {
  return fileEnding.test(path);
}
