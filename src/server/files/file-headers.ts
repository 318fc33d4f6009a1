import { fromSegment } from '../../core/segment.ts';

/**
 * What goes with every file. A repository's HTML and SVG must not run in our origin: the sandbox gives whatever it
 * is an origin of its own, without scripts. PDF viewers refuse to work in a sandbox, and need none; nothing else goes
 * without one, whatever else its type resembles (`application/pdf+xml` is XML, which browsers render).
 */
export function fileHeaders(path: string, contentType: string): Readonly<Record<string, string>> {
  return {
    'content-disposition': disposition(fileName(path)),
    'content-security-policy': isPdf.test(contentType) ? passive : `sandbox; ${passive}`,
  };
}

/** This type alone, with or without parameters; where several types are named, the last one counts for browsers. */
const isPdf = /^application\/pdf(?:[ \t]*;[^,]*)?$/i;

const passive =
  "default-src 'none'; img-src 'self'; media-src 'self'; object-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** For people: the name that the upstream gave the file; of a long one its beginning. */
export function fileName(path: string): string {
  const segment = path.slice(path.lastIndexOf('/') + 1);
  if (/^https?:/i.test(path)) return decodeOnce(segment.replace(/[?#].*$/, '')) || path;
  const cut = segment.replace(/~\.[0-9a-f]{64}$/, '');
  return (fromSegment(cut) ?? cut).replace(/^\d+-/, '') || segment;
}

function decodeOnce(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Control characters, what changes the direction of writing, and what parts a path, are no parts of a name. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029/\\]+/gu;

/** RFC 6266: in ASCII for everybody, and as it is for those who can. */
function disposition(name: string): string {
  const safe =
    [...name.replace(unsafe, '_').replace(/^[\s.]+|[\s.]+$/g, '')].slice(0, 150).join('') || 'file';
  const ascii = safe.replace(/[^\x20-\x7e]|["%;*]/g, '_');
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `inline; filename="${ascii}"${ascii === safe ? '' : `; filename*=UTF-8''${encoded}`}`;
}

const mediaTypeField =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/;
const vague = /^(?:application\/(?:octet-stream|(?:x-|force-)?download|unknown)|binary\/octet-stream)\b/i;

/**
 * The media type a file goes out with: what its server says, unless that says nothing.
 * @param said the header field as it came
 * @param stated in the lists
 */
export function contentTypeOf(said: string | undefined, stated: string | undefined): string {
  const field = said?.trim() ?? '';
  const says = mediaTypeField.test(field) && field.length <= 200 && !vague.test(field);
  if (says) return field;
  return stated !== undefined && mediaTypeField.test(stated) ? stated : 'application/octet-stream';
}
