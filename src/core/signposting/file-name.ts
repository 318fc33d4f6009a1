/** Where a link to a file has no title: the last part of its path, if that tells anything. */
export function fileName(href: string, type: string | undefined): string {
  const segment = new URL(href).pathname.split('/').findLast((part) => part !== '') ?? '';
  const name = decoded(segment);
  const isTelling = /[^.]\.[A-Za-z0-9]{1,8}$/.test(name) && !/\.(php|cgi|do|jsp|aspx?)$/i.test(name);
  if (isTelling) return name;
  const ending = endings.get(type ?? '') ?? '';
  const isGeneric =
    name === '' || /^(download|content|file|view|get|retrieve|bitstream|[a-z]+\.[a-z]{2,4})$/i.test(name);
  return `${isGeneric ? 'file' : name}${ending}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const endings: ReadonlyMap<string, string> = new Map([
  ['application/pdf', '.pdf'],
  ['application/zip', '.zip'],
  ['application/json', '.json'],
  ['application/xml', '.xml'],
  ['application/epub+zip', '.epub'],
  ['text/xml', '.xml'],
  ['text/plain', '.txt'],
  ['text/csv', '.csv'],
  ['image/jpeg', '.jpg'],
  ['image/png', '.png'],
  ['image/tiff', '.tif'],
  ['image/gif', '.gif'],
  ['audio/mpeg', '.mp3'],
  ['video/mp4', '.mp4'],
  ['application/msword', '.doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', '.docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', '.xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', '.pptx'],
]);
