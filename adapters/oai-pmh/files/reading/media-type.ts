/** What people write where a media type belongs. */
const spokenTypes: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['adobe pdf', 'application/pdf'],
  ['adobe portable document format', 'application/pdf'],
  ['portable document format', 'application/pdf'],
  ['doc', 'application/msword'],
  ['microsoft word', 'application/msword'],
  ['ms word', 'application/msword'],
  ['word', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['microsoft word xml', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['microsoft excel', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['microsoft powerpoint', 'application/vnd.ms-powerpoint'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['postscript', 'application/postscript'],
  ['ps', 'application/postscript'],
  ['zip', 'application/zip'],
  ['epub', 'application/epub+zip'],
  ['xml', 'application/xml'],
  ['json', 'application/json'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['txt', 'text/plain'],
  ['plain text', 'text/plain'],
  ['csv', 'text/csv'],
  ['rtf', 'application/rtf'],
  ['tex', 'application/x-tex'],
  ['latex', 'application/x-latex'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['tif', 'image/tiff'],
  ['tiff', 'image/tiff'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/x-wav'],
  ['mp4', 'video/mp4'],
]);

/** Types that were never registered. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['application/x-pdf', 'application/pdf'],
  ['application/html', 'text/html'],
  ['application/acrobat', 'application/pdf'],
  ['text/pdf', 'application/pdf'],
  ['pdf/application', 'application/pdf'],
]);

const trees = 'application|audio|font|image|message|model|multipart|text|video|chemical|x-[a-z]+';
const mediaType = new RegExp(`^(?:${trees})\\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$`);

/** `type/subtype` in lower case without parameters; undefined for what is none and means none. */
export function readMediaType(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 255) return undefined;
  const bare = (text.split(';', 1)[0] ?? '').trim().toLowerCase();
  // URIs of the IANA registry.
  const name = bare.replace(
    /^https?:\/\/(?:www\.)?(?:iana\.org\/assignments\/media-types|purl\.org\/NET\/mediatypes)\//i,
    '',
  );
  const alias = aliases.get(name);
  if (alias !== undefined) return alias;
  if (mediaType.test(name)) return name;
  return spokenTypes.get(name.replace(/^\./, '').replace(/ (?:file|document|format)$/, ''));
}

/** An HTML page, not a file: where a format names a page's type. */
export function isPageType(type: string | undefined): boolean {
  return type === 'text/html' || type === 'application/xhtml+xml';
}
