import type { XmlElement } from './xml-element.ts';

/** Children of each element of the protocol, as OAI-PMH.xsd has them: names, each with a blank behind it. */
const models: Readonly<Record<string, RegExp>> = {
  'OAI-PMH':
    /^responseDate request (?:(?:error )+|(?:Identify|ListMetadataFormats|ListSets|GetRecord|ListIdentifiers|ListRecords) )$/,
  Identify:
    /^repositoryName baseURL protocolVersion (?:adminEmail )+earliestDatestamp deletedRecord granularity (?:compression )*(?:description )*$/,
  ListMetadataFormats: /^(?:metadataFormat )+$/,
  metadataFormat: /^metadataPrefix schema metadataNamespace $/,
  ListSets: /^(?:set )+(?:resumptionToken )?$/,
  set: /^setSpec setName (?:setDescription )*$/,
  GetRecord: /^record $/,
  ListRecords: /^(?:record )+(?:resumptionToken )?$/,
  ListIdentifiers: /^(?:header )+(?:resumptionToken )?$/,
  record: /^header (?:metadata )?(?:about )*$/,
  header: /^identifier datestamp (?:setSpec )*$/,
};

/** Whose children are not the protocol's. */
const containers = new Set(['metadata', 'about', 'description', 'setDescription']);

/** @returns what is not as the schema has it; undefined: all is */
export function faultOfOrder(element: XmlElement): string | undefined {
  const { local, children, namespace } = element;
  const foreign = children.find((child) => child.namespace !== namespace);
  if (containers.has(local)) {
    return children.length === 1 ? undefined : `${local} holds ${children.length} elements, not one`;
  }
  if (foreign) return `${foreign.name} stands in ${local}, in another namespace`;
  const names = children.map((child) => `${child.local} `).join('');
  const model = models[local];
  if (model && !model.test(names)) {
    const shown = [...new Set(children.map((child) => child.local))].slice(0, 12).join(', ');
    return `the children of ${local} are not as the schema has them (${shown === '' ? 'there are none' : shown})`;
  }
  if (!model && children.length > 0) return `${children[0]?.name} stands in ${local}`;
  for (const child of children) {
    const fault = faultOfOrder(child);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
