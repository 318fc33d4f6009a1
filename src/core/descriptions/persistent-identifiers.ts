/** The DOI in an identifier, however it is written: bare, `doi:`, `info:doi/`, or the address of a resolver. */
export function readDoi(text: string): string | undefined {
  const [, url, bare] =
    /^(?:https?:\/\/(?:dx\.|www\.)?doi\.org\/(10\.\S+)|(?:doi:\s*|info:doi\/)?(10\.\S+))$/i.exec(
      text.trim(),
    ) ?? [];
  const doi = url === undefined ? bare : decoded(url);
  return doi !== undefined && /^10\.\d{4,9}\/[^\s\p{Cc}<>"\\]{1,200}$/u.test(doi) ? doi : undefined;
}

/** The Handle in the address of its resolver, or behind `hdl:`. */
export function readHandle(text: string): string | undefined {
  const [, url, bare] =
    /^(?:https?:\/\/hdl\.handle\.net\/(\S+)|(?:hdl:|info:hdl\/)(\S+))$/i.exec(text.trim()) ?? [];
  const handle = url === undefined ? bare : decoded(url);
  return handle !== undefined && /^[\w.]{1,50}\/[^\s\p{Cc}<>"\\]{1,200}$/u.test(handle) ? handle : undefined;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

export function doiUri(doi: string): string {
  return `https://doi.org/${escaped(doi)}`;
}

export function handleUri(handle: string): string {
  return `https://hdl.handle.net/${escaped(handle)}`;
}

/** What an address may not hold, or would end its path. */
function escaped(name: string): string {
  return name.replace(/[^A-Za-z0-9\-._~:/@!$&'()*+,;=]/gu, (character) => encodeURIComponent(character));
}
