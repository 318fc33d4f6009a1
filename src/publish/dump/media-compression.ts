/** Media types whose content is worth deflating. Most others are compressed already, or not known to us. */
const worthwhile: readonly RegExp[] = [
  /^text\//,
  /[+/](xml|json|yaml)$/,
  /^application\/(json-seq|ld\+json|n-triples|n-quads|trig|sparql-query|sql|x-ndjson|warc)$/,
  /^application\/(javascript|x-sh|x-tex|x-latex|postscript|rtf|msword|vnd\.ms-excel|vnd\.ms-powerpoint)$/,
  /^application\/(x-tar|x-hdf5?|x-netcdf|wasm|dicom)$/,
  /^image\/(svg\+xml|bmp|x-ms-bmp|tiff|x-portable-[a-z]+)$/,
  /^(audio\/(x-)?wav|audio\/x-aiff|font\/(ttf|otf)|model\/.*)$/,
];

/** Whether a package deflates contents of this media type; it stores those that it knows nothing of. */
export function isCompressible(mediaType: string | undefined): boolean {
  return mediaType !== undefined && worthwhile.some((pattern) => pattern.test(mediaType.toLowerCase()));
}
