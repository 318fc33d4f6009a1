/** Resolvers: what they lead to is an HTML page, whatever the identifier ends in. */
const resolvers: ReadonlySet<string> = new Set([
  'doi.org',
  'dx.doi.org',
  'hdl.handle.net',
  'handle.net',
  'n2t.net',
  'arks.org',
  'urn.fi',
  'urn.kb.se',
  'urn.nb.no',
  'persistent-identifier.nl',
  'resolver.obvsg.at',
  'hdl.loc.gov',
  'orcid.org',
  'ror.org',
  'isni.org',
  'wikidata.org',
  'creativecommons.org',
  'rightsstatements.org',
  'ci.nii.ac.jp',
  'cir.nii.ac.jp',
  'id.ndl.go.jp',
  'pubmed.ncbi.nlm.nih.gov',
  'resolver.staatsbibliothek-berlin.de',
  'resolver.sub.uni-goettingen.de',
  // Pages of shops and catalogues, which libraries call full texts.
  'ebookcentral.proquest.com',
  'gateway.proquest.com',
  'search.ebscohost.com',
  'worldcat.org',
  'books.google.com',
  'catalog.hathitrust.org',
]);

/** `nbn-resolving.org`, `mdz-nbn-resolving.de` and the others for German national bibliography numbers. */
const nbnResolvers = /(?:^|[.-])nbn-resolving\.[a-z]+$/;

/** Sites whose links end in file names, and lead to pages about files or to those of others. */
const catalogues =
  /(?:^|\.)(?:github\.com|gitlab\.com|wikipedia\.org|wikimedia\.org|youtube\.com|youtu\.be)$/;

export function isResolver(host: string): boolean {
  return resolvers.has(host.replace(/^www\./, '')) || nbnResolvers.test(host);
}

export function isCatalogue(host: string): boolean {
  return catalogues.test(host);
}
