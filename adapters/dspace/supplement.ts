import type { AdapterContext, AdapterSettings } from '../../src/core/adapter.ts';
import { readOaiName } from '../../src/core/dspace/oai-name.ts';
import { type OaiSupplement, supplementFormats } from '../../src/core/dspace/oai-supplement.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { type IdentifierOf, oaiUrlOf } from './rest/oai-host.ts';
import type { RestService } from './rest/rest-service.ts';
import { findHandleInSearch } from './search/search.ts';

/**
 * The OAI-PMH endpoint of the same repository, for formats that only it has; undefined: none are configured.
 * @throws BridgeError `config-invalid`; when the endpoint does not answer
 */
export async function openSupplement(
  rest: RestService,
  settings: AdapterSettings,
  { oaiAt }: Pick<AdapterContext, 'oaiAt'>,
  identifierOf: IdentifierOf,
  signal: AbortSignal,
): Promise<OaiSupplement | undefined> {
  if (settings.oaiFormats === undefined) return undefined;
  const url = oaiUrlOf(settings, rest.base);
  if (url === undefined || oaiAt === undefined) {
    const why = 'some formats are to come from its OAI-PMH endpoint, which `oai: false` forbids';
    throw new BridgeError('config-invalid', `${settings.url}: ${why}`);
  }
  const oai = oaiAt(url);
  return {
    oai,
    formats: await supplementFormats(oai, signal),
    identifierOf: async (oaiIdentifier, within) => {
      const handle = readOaiName(oaiIdentifier)?.handle;
      if (handle === undefined) return undefined;
      if (settings.identity !== 'uuid') return identifierOf(handle, oaiIdentifier);
      // That endpoint knows no UUIDs. What nobody finds is not published, whatever that endpoint has of it.
      return findHandleInSearch(rest, handle, within);
    },
  };
}
