import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XmlBufferInputProvider, XmlDocument, XsdValidator, xmlRegisterInputProvider } from 'libxml2-wasm';
import { sharedMaterial } from '../adapters/shared-material.ts';

/** Where the schemas are, beside the checkout; undefined, and said so: nothing is validated. */
export const oaiSchemas = sharedMaterial('spec/xsd-oai');

const places = [
  'oai/',
  'http://www.openarchives.org/OAI/2.0/',
  'http://dublincore.org/schemas/xmls/',
  'http://www.w3.org/2001/',
  'http://www.w3.org/2001/03/',
  'http://www.w3.org/2009/01/',
  'http://www.openarchives.org/OAI/1.1/',
];

/** @returns a function that throws where a response with Dublin Core is not valid */
export function openOaiSchema(): (response: string) => void {
  const folder = oaiSchemas ?? '.';
  const provider = new XmlBufferInputProvider({});
  for (const name of readdirSync(join(folder, 'oai')).filter((file) => file.endsWith('.xsd'))) {
    const bytes = readFileSync(join(folder, 'oai', name));
    for (const place of places) provider.addBuffer(`${place}${name}`, bytes);
  }
  xmlRegisterInputProvider(provider);
  // Rights of a whole repository are a manifest, whose schema includes that of the rights.
  const text = readFileSync(join(folder, 'driver-oai_dc.xsd'), 'utf8').replace(
    '"oai/rights.xsd"',
    '"oai/rightsManifest.xsd"',
  );
  const driver = XmlDocument.fromString(text, { url: 'driver-oai_dc.xsd' });
  const validator = XsdValidator.fromDoc(driver);
  return (response) => {
    const document = XmlDocument.fromBuffer(Buffer.from(response));
    try {
      validator.validate(document);
    } finally {
      document.dispose();
    }
  };
}
