import { child, children, childText } from '../wire/small-document.ts';
import type { Endpoint } from './endpoint.ts';
import type { DeclaredFormat } from './formats.ts';
import { toBridgeError } from './oai-errors.ts';

/** What the repository says it offers; namespaces and schemas are often wrong (quirk 70). */
export async function listMetadataFormats(
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<readonly DeclaredFormat[]> {
  const document = await endpoint.readSmall('ListMetadataFormats', {}, signal);
  const list = child(document.root, 'listmetadataformats');
  if (list === undefined && document.errors.length > 0) throw toBridgeError(document.errors);
  return children(list, 'metadataformat').flatMap((format) => {
    const name = childText(format, 'metadataprefix');
    if (name === undefined) return [];
    return [{ name, namespace: childText(format, 'metadatanamespace'), schema: childText(format, 'schema') }];
  });
}
