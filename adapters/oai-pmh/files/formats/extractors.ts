import { isJpcoar } from '../../namespaces/jpcoar.ts';
import type { FileFormat } from '../reading/extractor.ts';
import { cerif } from './cerif.ts';
import { cmdi } from './cmdi.ts';
import { datacite } from './datacite.ts';
import { ddi } from './ddi.ts';
import { didl } from './didl.ts';
import { doaj } from './doaj.ts';
import { dublinCore, mayLinkFiles } from './dublin-core.ts';
import { ead } from './ead.ts';
import { epicur } from './epicur.ts';
import { iso19139 } from './iso19139.ts';
import { jats } from './jats.ts';
import { jpcoar } from './jpcoar.ts';
import { junii2 } from './junii2.ts';
import { lido } from './lido.ts';
import { lom } from './lom.ts';
import { marc } from './marc.ts';
import { mets } from './mets.ts';
import { mods } from './mods.ts';
import { openaire } from './openaire.ts';
import { opencast } from './opencast.ts';
import { oreAtom } from './ore-atom.ts';
import { rdf } from './rdf.ts';
import { rioxx2, rioxx3 } from './rioxx.ts';
import { tei } from './tei.ts';
import { uketd } from './uketd.ts';
import { xmetadiss } from './xmetadiss.ts';
import { xoai } from './xoai.ts';

/** The whole list, but by an index that is a night old: not the last word, which would be rank 0. */
const xoaiFormat: FileFormat = { rank: 1, extract: xoai };
const metsFormat: FileFormat = { rank: 5, extract: mets };
const oreFormat: FileFormat = { rank: 10, extract: oreAtom };
const didlFormat: FileFormat = { rank: 20, extract: didl };
const openaireFormat: FileFormat = { rank: 20, extract: openaire };
const rioxx3Format: FileFormat = { rank: 20, extract: rioxx3 };
const jpcoarFormat: FileFormat = { rank: 20, extract: jpcoar };
const cerifFormat: FileFormat = { rank: 20, extract: cerif };
const uketdFormat: FileFormat = { rank: 25, extract: uketd };
const junii2Format: FileFormat = { rank: 30, extract: junii2 };
const rioxx2Format: FileFormat = { rank: 35, extract: rioxx2 };
const doajFormat: FileFormat = { rank: 40, extract: doaj };
const modsFormat: FileFormat = { rank: 50, extract: mods };
const marcFormat: FileFormat = { rank: 55, extract: marc };
const dataciteFormat: FileFormat = { rank: 70, extract: datacite };
const qualifiedFormat: FileFormat = { rank: 93, extract: dublinCore, maybe: mayLinkFiles };
const simpleFormat: FileFormat = { rank: 95, extract: dublinCore, maybe: mayLinkFiles };
const aggregatedFormat: FileFormat = { rank: 97, extract: dublinCore, maybe: mayLinkFiles };

const opencastFormat: FileFormat = { rank: 20, extract: opencast };
const ddiFormat: FileFormat = { rank: 20, extract: ddi };
const teiFormat: FileFormat = { rank: 20, extract: tei };
const xmetadissFormat: FileFormat = { rank: 40, extract: xmetadiss };
const jatsFormat: FileFormat = { rank: 40, extract: jats };
const rdfFormat: FileFormat = { rank: 45, extract: rdf };
const epicurFormat: FileFormat = { rank: 60, extract: epicur };
const cmdiFormat: FileFormat = { rank: 60, extract: cmdi };
const isoFormat: FileFormat = { rank: 60, extract: iso19139 };
const lidoFormat: FileFormat = { rank: 60, extract: lido };
const lomFormat: FileFormat = { rank: 65, extract: lom };
const eadFormat: FileFormat = { rank: 65, extract: ead };

const byNamespace: ReadonlyMap<string, FileFormat> = new Map([
  ['http://www.lyncode.com/xoai', xoaiFormat],
  ['http://www.loc.gov/METS/', metsFormat],
  ['http://www.loc.gov/METS/v2', metsFormat],
  ['http://www.w3.org/2005/Atom', oreFormat],
  ['http://www.openarchives.org/ore/atom/', oreFormat],
  ['urn:mpeg:mpeg21:2002:02-DIDL-NS', didlFormat],
  ['urn:mpeg:mpeg21:2002:01-DIDL-NS', didlFormat],
  // The Dutch aggregator: a document as it came, and the same normalised.
  ['http://gh.kb-dans.nl/combined/v0.9/', didlFormat],
  ['http://namespace.openaire.eu/schema/oaire/', openaireFormat],
  ['http://www.rioxx.net/schema/v3.0/rioxx/', rioxx3Format],
  ['http://www.rioxx.net/schema/v2.0/rioxx/', rioxx2Format],
  ['https://www.openaire.eu/cerif-profile/1.1/', cerifFormat],
  ['https://www.openaire.eu/cerif-profile/1.2/', cerifFormat],
  ['http://naca.central.cranfield.ac.uk/ethos-oai/2.0/', uketdFormat],
  ['http://irdb.nii.ac.jp/oai', junii2Format],
  ['http://ju.nii.ac.jp/junii2', junii2Format],
  ['http://ju.nii.ac.jp/oai', junii2Format],
  ['http://irdb.nii.ac.jp/dspace-oai', junii2Format],
  ['http://doaj.org/features/oai_doaj/1.0/', doajFormat],
  ['http://www.loc.gov/mods/v3', modsFormat],
  ['http://www.loc.gov/MARC21/slim', marcFormat],
  ['http://www.openarchives.org/OAI/1.1/oai_marc', marcFormat],
  ['info:lc/xmlns/marcxchange-v1', marcFormat],
  ['info:lc/xmlns/marcxchange-v2', marcFormat],
  ['http://datacite.org/schema/kernel-3', dataciteFormat],
  ['http://datacite.org/schema/kernel-4', dataciteFormat],
  ['http://schema.datacite.org/oai/oai-1.0/', dataciteFormat],
  ['http://schema.datacite.org/oai/oai-1.1/', dataciteFormat],
  ['http://purl.org/dc/terms/', qualifiedFormat],
  ['http://dspace.org/qualifieddc/', qualifiedFormat],
  ['http://www.bl.uk/namespaces/oai_dcq/', qualifiedFormat],
  ['http://epubs.cclrc.ac.uk/xmlns/qdc/', qualifiedFormat],
  ['http://worldcat.org/xmlschemas/qdc-1.0/', qualifiedFormat],
  ['http://www.openarchives.org/OAI/2.0/oai_qdc/', qualifiedFormat],
  ['http://purl.org/net/oai_dcterms/', qualifiedFormat],
  ['http://purl.org/dc/elements/1.1/', simpleFormat],
  ['http://www.openarchives.org/OAI/2.0/oai_dc', simpleFormat],
  ['http://www.openarchives.org/OAI/2.0/oai_dc/', simpleFormat],
  ['http://www.dspace.org/xmlns/dspace/dim', aggregatedFormat],
  ['http://www.openarchives.org/OAI/2.0/rdf/', aggregatedFormat],
  ['http://oai.base-search.net/base_dc/', aggregatedFormat],
  ['http://mediapackage.opencastproject.org', opencastFormat],
  ['http://www.opencastproject.org/oai/matterhorn', opencastFormat],
  ['ddi:codebook:2_5', ddiFormat],
  ['http://www.icpsr.umich.edu/DDI', ddiFormat],
  ['urn:nbn:de:1111-2004033116', epicurFormat],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', rdfFormat],
  ['http://www.europeana.eu/schemas/ese/', rdfFormat],
  ['http://www.tei-c.org/ns/1.0', teiFormat],
  ['http://www.lido-schema.org', lidoFormat],
  ['urn:isbn:1-931666-22-9', eadFormat],
  ['http://ead3.archivists.org/schema/', eadFormat],
]);

/** Namespaces that come in versions and spellings. */
const byPattern: readonly (readonly [RegExp, FileFormat])[] = [
  [/^https?:\/\/www\.openaire\.eu\/cerif-profile\/\d[\d.]*\/?$/, cerifFormat],
  [/^https?:\/\/(?:jats|dtd)\.nlm\.nih\.gov(?:\/|$)/, jatsFormat],
  // Digital Commons has Dublin Core of its own, with a `fulltext-url`.
  [/^https?:\/\/www\.bepress\.com\//, qualifiedFormat],
  [/^https?:\/\/www\.clarin\.eu\/cmd\//, cmdiFormat],
  [/^http:\/\/www\.(?:d-nb|ddb)\.de\/standards\/xmetadiss(?:plus)?\/?$/i, xmetadissFormat],
  [/^http:\/\/www\.ndltd\.org\/standards\/metadata\/etdms\//, qualifiedFormat],
  [/^http:\/\/ns\.nsdl\.org\/nsdl_dc_v/, qualifiedFormat],
  [/^http:\/\/www\.imsglobal\.org\/xsd\/imsmd_/, lomFormat],
  [/^http:\/\/ltsc\.ieee\.org\/xsd\/LOM/, lomFormat],
  [/^https?:\/\/(?:www\.isotc211\.org\/2005\/gm[di]|standards\.iso\.org\/iso\/19115\/)/, isoFormat],
];

/** Payloads without a namespace of their own, which may have fallen into OAI-PMH's (quirk 86). */
const byRootName: ReadonlyMap<string, FileFormat> = new Map([
  // DSpace writes version 3 like this.
  ['rioxx', rioxx3Format],
  ['jpcoar', jpcoarFormat],
  ['junii2', junii2Format],
  ['mods', modsFormat],
  ['modscollection', modsFormat],
  ['mets', metsFormat],
  ['didl', didlFormat],
  ['uketddc', uketdFormat],
  ['oai_marc', marcFormat],
  ['record', marcFormat],
  ['collection', marcFormat],
  ['resource', openaireFormat],
  ['oai_datacite', dataciteFormat],
  ['doajarticle', doajFormat],
  ['thesis', qualifiedFormat],
  ['lom', lomFormat],
  ['tei', teiFormat],
  ['lido', lidoFormat],
  ['article', jatsFormat],
  ['codebook', ddiFormat],
  ['qualifieddc', qualifiedFormat],
  ['dc', simpleFormat],
]);

/** The format of a payload: by its root's namespace, never by the prefix it was asked for under. */
export function extractorOf(namespace: string, rootName: string): FileFormat | undefined {
  const known = byNamespace.get(namespace);
  if (known !== undefined) return known;
  if (isJpcoar(namespace)) return jpcoarFormat;
  const spelled = byPattern.find(([pattern]) => pattern.test(namespace));
  if (spelled !== undefined) return spelled[1];
  if (namespace === '' || namespace === 'http://www.openarchives.org/OAI/2.0/') {
    return byRootName.get(rootName.toLowerCase());
  }
  // Home-made profiles of Dublin Core keep the name of its root.
  return /^(?:qualified)?dc$/i.test(rootName) ? aggregatedFormat : undefined;
}
