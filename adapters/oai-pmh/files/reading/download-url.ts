import { toContentUrl } from '../../../../src/core/addresses/dspace-download.ts';
import { isSameSite } from '../../../../src/core/addresses/site.ts';

/**
 * The REST API's base that an OAI base URL of DSpace 7 and later implies: `https://host/server/oai/request` lies
 * below `https://host/server`. Undefined for every other URL; where OAI-PMH lies at `/oai/request`, a proxy or an
 * old DSpace put it there, and where the REST API is nobody knows.
 */
export function dspaceServerBase(oaiUrl: string): string | undefined {
  return /^(https?:\/\/[^/?#]+\/(?:[^?#]*\/)?server)\/oai\/[\w.-]+\/?(?:[?#]|$)/i.exec(oaiUrl)?.[1];
}

/**
 * DSpace 7 and later state their Angular page as the place of a bitstream. `{ui}/bitstreams/{uuid}/download` becomes
 * `{server}/api/core/bitstreams/{uuid}/content`, which hands out the bytes without a script (or a wall against
 * robots) in between. Other URLs, and those of other sites, stay as they are.
 */
export function mapDownloadUrl(url: string, serverBase: string | undefined): string {
  if (serverBase === undefined || !URL.canParse(url) || !URL.canParse(serverBase)) return url;
  return isSameSite(new URL(url).host, new URL(serverBase).host) ? toContentUrl(url, serverBase) : url;
}
