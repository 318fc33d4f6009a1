import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XmlBufferInputProvider, XmlDocument, XsdValidator, xmlRegisterInputProvider } from 'libxml2-wasm';
import { sharedMaterial } from '../adapters/shared-material.ts';

/** Where the schemas are, beside the checkout; undefined, and said so: nothing is validated. */
export const crosswalkSchemas = sharedMaterial('spec/xsd-oai');

const places = ['http://www.w3.org/2001/', 'http://www.w3.org/2001/03/', 'http://www.w3.org/2009/01/'];
const dublinCore = 'http://dublincore.org/schemas/xmls/';
const schemas = {
  oai_dc: ['oai', 'oai_dc.xsd'],
  'jpcoar_2.0': ['jpcoar-2.0', 'jpcoar_scm.xsd'],
  oai_openaire: ['openaire-4.0', 'openaire.xsd'],
} as const;

/** @returns a function that throws where a document of the format is not valid by its own schema */
export function openCrosswalkSchema(format: keyof typeof schemas): (document: string) => void {
  const material = crosswalkSchemas ?? '.';
  const [folder, main] = schemas[format];
  const provider = new XmlBufferInputProvider({});
  for (const name of readdirSync(join(material, folder)).filter((file) => file.endsWith('.xsd')))
    provider.addBuffer(`${folder}/${name}`, readFileSync(join(material, folder, name)));
  const ofXml = readFileSync(join(material, 'oai', 'xml.xsd'));
  for (const place of places) provider.addBuffer(`${place}xml.xsd`, ofXml);
  provider.addBuffer(
    `${dublinCore}simpledc20021212.xsd`,
    readFileSync(join(material, 'oai', 'simpledc20021212.xsd')),
  );
  xmlRegisterInputProvider(provider);
  const schema = XmlDocument.fromBuffer(readFileSync(join(material, folder, main)), {
    url: `${folder}/${main}`,
  });
  const validator = XsdValidator.fromDoc(schema);
  return (text) => {
    const document = XmlDocument.fromBuffer(Buffer.from(text));
    try {
      validator.validate(document);
    } finally {
      document.dispose();
    }
  };
}
