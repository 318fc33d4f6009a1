import type { WebUrl } from '../../../../src/core/addresses/web-url.ts';
import { isCatalogue, isResolver } from './resolver-hosts.ts';

/** Endings of what people publish. Not `xml` and `html`: they are as often a page or metadata. */
const documents =
  'pdf|docx?|docm|odt|rtf|txt|md|tex|epub|mobi|djvu?|ps|eps|xlsx?|xlsm|ods|csv|tsv|pptx?|ppsx?|odp|zip|gz|tgz|bz2|xz|7z|rar|tar|json|nc|hdf5?|h5|sav|dta|rds|rdata|mat|fasta|shp|kml|kmz|geojson|jpe?g|png|gif|tiff?|jp2|bmp|svg|mp[34]|m4[av]|wav|flac|ogg|ogv|webm|avi|mov|mpe?g|wmv|flv|iso|stl|ply|obj|glb|ipynb|sql|sqlite|parquet|cif|pdb|mid|nii|dcm|dwg|warc';
const documentEnding = new RegExp(`\\.(?:${documents})$`, 'i');
const anyEnding = new RegExp(`\\.(?:${documents}|xml|html?|rdf|ttl|css|js)$`, 'i');
/** Scripts and query fields that hand out a file by its name: `download.php?file=a.pdf`. */
const queryEnding = new RegExp(`=[^&=]*\\.(?:${documents})(?:&|$)`, 'i');

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Where repository software keeps its HTML pages. */
const landingPaths: readonly RegExp[] = [
  /^\/*$/,
  // DSpace
  /\/handle\/[^/]+\/[^/]+\/?$/i,
  new RegExp(`/(?:items|entities/[\\w-]+)/${uuid}(?:/full)?/?$`, 'i'),
  // Invenio, WEKO, Zenodo, LibreCat
  /\/(?:records?|communities|deposit)\/[\w.:-]+\/?$/i,
  // EPrints
  /^\/(?:id\/eprint\/)?\d+\/?$/,
  // OJS, OMP, OPS
  /\/(?:article|preprint|issue|catalog)\/(?:view|abstract|book)\/[\w.-]+(?:\/version\/\d+)?\/?$/i,
  // arXiv, HAL
  /^\/abs\//,
  /^\/[a-z]+-\d{6,}(?:v\d+)?\/?$/,
  // Dataverse, DiVA, OPUS, LibreCat, Hyrax, Islandora, CONTENTdm, Internet Archive, Figshare, PMC, Fedora
  /\/(?:dataset|file|dataverse)\.xhtml$/i,
  /\/smash\/record\.jsf$/i,
  /\/frontdoor\/index\/index\/|\/frontdoor\.php$/i,
  /^\/(?:publication|person|dataset)\/[\w-]+\/?$/i,
  /\/concern\/[\w-]+\/[\w-]+\/?$/i,
  /\/islandora\/object\/[^/]+\/?$/i,
  /\/cdm\/(?:ref|singleitem|compoundobject|landingpage)\//i,
  /\/digital\/collection\/[^/]+\/id\/\d+(?:\/rec\/\d+)?\/?$/i,
  /^\/details\/[^/]+\/?$/,
  /^\/articles\/[\w-]+\/[^/]+\/\d+(?:\/\d+)?\/?$/,
  /\/articles\/PMC\d+\/?$/i,
  /^\/objects?\/(?:uuid:)?[0-9a-f-]{36}\/?$/i,
];
/** Pure gives its pages an ending. */
const landingFile = /\/(?:publications?|persons?|datasets?)\/[^/]+(?:\([0-9a-f-]{36}\))?\.html$/i;

/** An HTML page, going by the URL alone. */
export function isLandingPage({ host, path, query }: WebUrl): boolean {
  if (isResolver(host) || landingFile.test(path)) return true;
  if (renditionQuery.test(query)) return false;
  if (landingQuery.test(query)) return !fileQuery.test(query);
  if (anyEnding.test(path) || (query !== '' && path === '/')) return false;
  return landingPaths.some((pattern) => pattern.test(path));
}

/** Where repository software hands out its files. */
const filePaths: readonly RegExp[] = [
  // DSpace
  /\/bitstreams?\/(?:handle\/|(?!handle\/))[^/]+\/[^/]+\/(?:[^/]+\/)?[^/]+$/i,
  new RegExp(`/bitstreams/${uuid}/(?:download|content)/?$`, 'i'),
  new RegExp(`/retrieve/(?:\\d+|${uuid})/[^/]+$`, 'i'),
  // OJS, OMP, OPS, Janeway
  /\/(?:article|preprint|issue|catalog)\/(?:download|viewFile|downloadSuppFile)\/[^/]+(?:\/[^/]+)*\/?$/i,
  /\/(?:article|preprint)s?\/\d+\/galley\/\d+\/download\/?$/i,
  // Invenio, WEKO, Zenodo
  /\/(?:api\/)?records?\/[^/]+\/files\/[^/]+(?:\/content)?\/?$/i,
  new RegExp(`/api/files/${uuid}/[^/]+$`, 'i'),
  // LibreCat, and the same at Ghent; Visual Library; DergiPark
  /\/download\/\d+\/[^/]+/i,
  /\/download\/pdf\/\d+\/?$/i,
  /\/publication\/\d+\/file\/\d+(?:\.\w{1,5})?\/?$/i,
  /\/download\/article-file\/\d+\/?$/i,
  // MyCoRe, OPUS, DiVA, PubMan
  /\/MCRFileNodeServlet\/[^/]+\/[^/]+/,
  /\/frontdoor\/deliver\/index\/docId\/\d+\/file\/[^/]+$/i,
  /\/smash\/get\/[^/]+\/[^/]+$/i,
  /\/component\/file_\d+\/[^/]+$/i,
  // Figshare, Dataverse, Dryad
  /\/ndownloader\/(?:files|articles)\/\d+/i,
  /\/api\/access\/datafile\/(?::persistentId|\d+)\/?$/i,
  /\/downloads\/file_stream\/\d+\/?$/i,
  // Islandora, Fedora, Hyrax
  /\/datastreams?\/(?:OBJ|PDF|FULLTEXT|CONTENT|content)(?:\/(?:content|download|view))?\/?$/,
  /^\/downloads\/[\w-]{6,}\/?$/i,
  // arXiv, HAL
  /^\/pdf\/(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?\/\d{7})(?:v\d+)?$/i,
  /^\/[a-z]+-\d{6,}(?:v\d+)?\/document\/?$/,
  // PubMed Central, Fez, SURF Sharekit
  /\/articles\/PMC\d+\/pdf(?:\/[^/]*)?$/i,
  /\/ATTACHMENT\d+$/,
  // CONTENTdm, J-STAGE, the archives of Oxford and Amsterdam
  /\/utils\/getfile\/collection\/[^/]+\/id\/\d+/i,
  /\/digital\/api\/collection\/[^/]+\/id\/\d+\/download\/?$/i,
  /\/_pdf(?:\/|$)/,
  /\/objects\/[^/]+\/files\/[^/]+$/i,
  /^\/document\/\d+\/\d+$/,
  new RegExp(`/objectstore/${uuid}/?$`, 'i'),
  // Pure
  /\/(?:ws\/(?:portalfiles\/)?files?|portalfiles\/portal)\/\d+\/[^/]+$/i,
  /^\/files\/\d+\/[^/]+$/i,
];
/** Digital Commons, and others that name the file in the query. */
const fileScripts = /\/(?:viewcontent\.cgi|download\.(?:php|aspx|jsp|do))$/i;
/** OJS without readable paths, WEKO 2. */
const fileQuery =
  /[?&]page=article&.*op=(?:download|viewFile)&|[?&](?:active_)?action=repository_(?:action_common_download|uri&.*file_id=)/i;
/** One rendition of several of the same thing: Europe PMC, CiteSeerX. */
const renditionQuery = /[?&](?:pdf=render|(?:blobtype|type|format)=pdf)(?:&|$)/i;
const landingQuery = /[?&]action=(?:repository_uri|pages_view_main|repository_view_main_item_detail)/i;

/**
 * Pictures of the thing, not the thing: by a folder of such pictures, or a picture of such a name. A paper may be
 * called `rule-of-thumb.pdf`, a map `land_cover.tif`.
 */
const preview =
  /thumb(?:nail)?s?(?:[/&]|$)|[/_](?:preview|covers?|icons?)(?:\/|$)|(?:thumb|[/._-](?:cover|icon))[^/]*\.(?:jpe?g|png|gif|webp|php)$|\/(?:preview|lightbox)[._-]|[._-](?:preview|lowres|medres)(?:[._-]|$)|cover_?image|\.pdf\.(?:jpe?g|png)$|\/uploads\/r\/.*_14[12]\.\w{3,4}$/i;
/** Metadata about it, licences, and what was made or extracted from it (EPrints' versions of its files). */
const aside =
  /\.has\w{1,40}Version\/|\/indexcodes\.txt$|\/(?:export|cite|citation|oai2?|metadata|rss|feed)(?:[/?.]|$)|verb=[A-Z]|\/licen[cs]e(?:_rdf|_text|_url|\.txt)|\.(?:pdf|docx?|odt|pptx?)\.txt$/i;

/** Whether a URL of which nothing says what it is looks like a file, by what software makes such URLs. */
export function looksLikeFile(url: WebUrl): boolean {
  if (isCatalogue(url.host) || isLandingPage(url) || isPreview(url) || aside.test(url.path + url.query)) {
    return false;
  }
  return documentEnding.test(url.path) || queryEnding.test(url.query) || isRepositoryFile(url);
}

/** Only by the ways of known repository software, not by an ending. */
export function isRepositoryFile({ host, path, query }: WebUrl): boolean {
  if (filePaths.some((pattern) => pattern.test(path))) return true;
  if (/(?:^|\.)(?:figshare\.com|hrcak\.srce\.hr)$/.test(host) && /^\/files?\/\d+\/?$/.test(path)) return true;
  return query !== '' && (fileScripts.test(path) || fileQuery.test(query) || renditionQuery.test(query));
}

/** A picture of the thing, going by the URL alone. */
export function isPreview({ path, query }: WebUrl): boolean {
  return preview.test(path) || /[?&](?:file=thumbnail|subformat=icon)/i.test(query);
}

/** `html` at the end: the page itself is the file. */
export function isPageFile({ path }: WebUrl): boolean {
  return /\.x?html?$/i.test(path);
}
